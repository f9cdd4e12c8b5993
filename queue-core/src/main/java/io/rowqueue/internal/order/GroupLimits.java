package io.rowqueue.internal.order;

import io.rowqueue.internal.database.DatabaseClock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A topic's limits per ordering key.
 *
 * @param inFlight how many messages of a key may be handled at once, at least 1
 * @param perSecond how many messages of a key may start per second; 0 for no limit
 */
record GroupLimits(int inFlight, int perSecond) {

  /** One after the other, without a rate limit. */
  static final GroupLimits NONE = new GroupLimits(1, 0);

  private static final int MOST_IN_FLIGHT = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final long SECOND_MICROS = 1_000_000;

  /** From the columns of the topic's row, which plain SQL may have written. */
  static GroupLimits of(@Nullable Integer inFlight, @Nullable Integer perSecond) {
    return new GroupLimits(
        inFlight == null ? 1 : Math.min(Math.max(1, inFlight), MOST_IN_FLIGHT),
        perSecond == null ? 0 : Math.min(Math.max(1, perSecond), MOST_PER_SECOND));
  }

  boolean isNone() {
    return equals(NONE);
  }

  boolean hasRate() {
    return perSecond > 0;
  }

  /**
   * When a group whose row says {@code nextAt} may start its next message; not before now. The last
   * start was not in the future, so a time that is too far ahead stems from a clock that was set
   * back since.
   */
  Instant begin(Instant nextAt, Instant now) {
    if (!hasRate() || nextAt.isAfter(now.plus(interval()).plus(DatabaseClock.MOST_APART))) {
      return now;
    }
    Instant earliest = now.minus(interval().multipliedBy(burst() - 1L));
    return nextAt.isBefore(earliest) ? earliest : nextAt;
  }

  /** When the group may start another message after one that started at {@code start}. */
  Instant after(Instant start) {
    return hasRate() ? start.plus(interval()) : start;
  }

  private Duration interval() {
    return Duration.ofNanos(1_000 * ((SECOND_MICROS + perSecond - 1) / perSecond));
  }

  /**
   * The burst that a group may catch up after a late start; an idle group gets no more than this.
   */
  private int burst() {
    return Math.max(1, perSecond / 10);
  }
}
