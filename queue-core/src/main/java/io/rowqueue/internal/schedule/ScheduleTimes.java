package io.rowqueue.internal.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;

/**
 * The instants at which a schedule fires. Strictly ascending, and the same from wherever they are
 * asked for. Immutable.
 */
interface ScheduleTimes {

  /** The first firing after {@code time}; none if there is none in fifty years. */
  Optional<Instant> after(Instant time);

  /** The last firing that is not after {@code time}; none if there is none in fifty years. */
  Optional<Instant> upTo(Instant time);

  /** What {@code syntax} names on the wall clock of {@code zone}. */
  static ScheduleTimes of(CronSyntax syntax, ZoneId zone) {
    return syntax.hasFixedTimes()
        ? new FixedTimes(syntax, zone.getRules())
        : new FollowingTimes(syntax, zone.getRules());
  }

  /** A grid of {@code every} that begins at {@code first}. */
  static ScheduleTimes of(Duration every, Instant first) {
    return new RateTimes(every, first);
  }
}
