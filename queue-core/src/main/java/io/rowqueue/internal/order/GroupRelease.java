package io.rowqueue.internal.order;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a locked line lets go.
 *
 * @param before as it was locked
 * @param next the lowest that wait in it, as many as there is room for
 * @param count how many of them go
 * @param now by the server's clock, where the line has a rate
 * @param isBlocked whether the first that stays is in somebody else's hands
 */
record GroupRelease(GroupState before, List<Long> next, int count, Instant now, boolean isBlocked) {

  /** All that may begin. */
  static GroupRelease of(GroupState head, List<Long> next, Instant now) {
    GroupLimits limits = head.limits();
    int count = 0;
    Instant begin = limits.begin(head.nextAt(), now);
    while (count < next.size() && !begin.isAfter(now)) {
      begin = limits.after(begin);
      count++;
    }
    return new GroupRelease(head, next, count, now, false);
  }

  /** Nobody passes by one that is not {@code locked}. */
  GroupRelease limitedTo(Set<Long> locked) {
    int mine = (int) released().stream().takeWhile(locked::contains).count();
    return mine == count ? this : new GroupRelease(before, next, mine, now, true);
  }

  /** Those that go. */
  List<Long> released() {
    return next.subList(0, count);
  }

  /** The first that stays though there is room; null if nobody does. */
  @Nullable Long firstBlocked() {
    return count < next.size() ? next.get(count) : null;
  }

  /** The line when they have gone. */
  GroupState headAfter() {
    return before.with(released(), nextFrom(), nextAt());
  }

  private long nextFrom() {
    Long firstBlocked = firstBlocked();
    if (firstBlocked != null) {
      return firstBlocked;
    }
    return count == 0 ? before.nextFrom() : next.get(count - 1);
  }

  /** When the line may go on, where it has a rate. */
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
