package io.rowqueue.internal.order;

import io.rowqueue.internal.database.DatabaseClock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a topic says of each of its lines.
 *
 * @param inFlight how many of a line may be handled at once, at least 1
 * @param perSecond how many of a line may begin a second; 0 for any number
 */
record GroupLimits(int inFlight, int perSecond) {

  /** One after the other, as fast as they are handled. */
  static final GroupLimits NONE = new GroupLimits(1, 0);

  private static final int MOST_IN_FLIGHT = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final long SECOND_MICROS = 1_000_000;

  /** As the topic's row has them, which plain SQL may have written. */
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
   * When one of a line might begin that may begin again at {@code nextAt}; not before now. Whoever
   * began did so by then, so that what lies further ahead is of a clock that was set back since.
   */
  Instant begin(Instant nextAt, Instant now) {
    if (!hasRate() || nextAt.isAfter(now.plus(interval()).plus(DatabaseClock.MOST_APART))) {
      return now;
    }
    Instant earliest = now.minus(interval().multipliedBy(burst() - 1L));
    return nextAt.isBefore(earliest) ? earliest : nextAt;
  }

  /** When the line may begin again after one that has begun at {@code start}. */
  Instant after(Instant start) {
    return hasRate() ? start.plus(interval()) : start;
  }

  private Duration interval() {
    return Duration.ofNanos(1_000 * ((SECOND_MICROS + perSecond - 1) / perSecond));
  }

  /** Whoever comes a little late catches up; a line that was idle gets no more than this. */
  private int burst() {
    return Math.max(1, perSecond / 10);
  }
}
