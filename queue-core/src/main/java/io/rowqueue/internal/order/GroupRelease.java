package io.rowqueue.internal.order;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one locked ordering group that become available now.
 *
 * @param before the group as it was locked
 * @param next the lowest ids that wait in it, as many as it has capacity for
 * @param count how many of them become available
 * @param now by the server's clock, if the group has a rate
 * @param isBlocked whether another transaction has locked the first that stays
 */
record GroupRelease(GroupState before, List<Long> next, int count, Instant now, boolean isBlocked) {

  /** Everything that may start now. */
  static GroupRelease of(GroupState state, List<Long> next, Instant now) {
    GroupLimits limits = state.limits();
    int count = 0;
    Instant begin = limits.begin(state.nextAt(), now);
    while (count < next.size() && !begin.isAfter(now)) {
      begin = limits.after(begin);
      count++;
    }
    return new GroupRelease(state, next, count, now, false);
  }

  /** Stops at the first message that is not {@code locked}, so that a group never overtakes. */
  GroupRelease limitedTo(Set<Long> locked) {
    int mine = (int) released().stream().takeWhile(locked::contains).count();
    return mine == count ? this : new GroupRelease(before, next, mine, now, true);
  }

  /** The messages that become available. */
  List<Long> released() {
    return next.subList(0, count);
  }

  /** The first that stays although there is capacity; null if there is none. */
  @Nullable Long firstBlocked() {
    return count < next.size() ? next.get(count) : null;
  }

  /** The group after the release. */
  GroupState stateAfter() {
    return before.with(released(), nextFrom(), nextAt());
  }

  private long nextFrom() {
    Long firstBlocked = firstBlocked();
    if (firstBlocked != null) {
      return firstBlocked;
    }
    return count == 0 ? before.nextFrom() : next.get(count - 1);
  }

  /** When the group may continue, if it has a rate. */
  Instant nextAt() {
    if (count == 0 || !before.limits().hasRate()) {
      return before.nextAt();
    }
    Instant begin = before.limits().begin(before.nextAt(), now);
    for (int i = 0; i < count; i++) {
      begin = before.limits().after(begin);
    }
    return begin;
  }
}
