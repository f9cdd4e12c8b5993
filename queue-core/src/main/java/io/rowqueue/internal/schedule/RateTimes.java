package io.rowqueue.internal.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A fixed grid. Adding the interval to the current time would drift. Computed in microseconds, like
 * the server.
 */
record RateTimes(Duration every, Instant first) implements ScheduleTimes {

  @Override
  public Optional<Instant> after(Instant time) {
    return Optional.of(upTo(time).map(last -> last.plus(every)).orElse(first));
  }

  @Override
  public Optional<Instant> upTo(Instant time) {
    if (time.isBefore(first)) {
      return Optional.empty();
    }
    long passed = ChronoUnit.MICROS.between(first, time);
    return Optional.of(first.plus(passed - passed % micros(), ChronoUnit.MICROS));
  }

  private long micros() {
    return every.toNanos() / 1_000;
  }
}
