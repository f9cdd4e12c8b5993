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
record Going(Head before, List<Long> next, int count, Instant now, boolean isBlocked) {

  /** All that may begin. */
  static Going of(Head head, List<Long> next, Instant now) {
    LineLimits limits = head.limits();
    int count = 0;
    Instant begin = limits.begin(head.nextAt(), now);
    while (count < next.size() && !begin.isAfter(now)) {
      begin = limits.after(begin);
      count++;
    }
    return new Going(head, next, count, now, false);
  }

  /** Nobody passes by one that is not {@code locked}. */
  Going among(Set<Long> locked) {
    int mine = (int) let().stream().takeWhile(locked::contains).count();
    return mine == count ? this : new Going(before, next, mine, now, true);
  }

  /** Those that go. */
  List<Long> let() {
    return next.subList(0, count);
  }

  /** The first that stays though there is room; null if nobody does. */
  @Nullable Long first() {
    return count < next.size() ? next.get(count) : null;
  }

  /** The line when they have gone. */
  Head after() {
    return before.with(let(), nextFrom(), nextAt());
  }

  private long nextFrom() {
    Long first = first();
    if (first != null) {
      return first;
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
