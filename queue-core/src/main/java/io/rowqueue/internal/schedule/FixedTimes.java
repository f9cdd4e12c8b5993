package io.rowqueue.internal.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * Each wall time is one run. A wall time in the gap of a clock change runs when the gap ends; one
 * that occurs twice runs the first time. So wall times map to instants in order, and everything
 * between two wall times can be skipped. Cron's own rule, made exact.
 */
record FixedTimes(CronSyntax syntax, ZoneRules rules) implements ScheduleTimes {

  @Override
  public Optional<Instant> after(Instant time) {
    return syntax.after(passed(time)).map(this::instant);
  }

  @Override
  public Optional<Instant> upTo(Instant time) {
    return syntax.upTo(passed(time)).map(this::instant);
  }

  /** The last wall time whose run is not after {@code time}. */
  private LocalDateTime passed(Instant time) {
    LocalDateTime wall = LocalDateTime.ofInstant(time, rules.getOffset(time));
    ZoneOffsetTransition repeated = rules.getTransition(wall);
    boolean again =
        repeated != null && repeated.isOverlap() && !time.isBefore(repeated.getInstant());
    return again ? repeated.getDateTimeBefore().minusNanos(1) : wall;
  }

  private Instant instant(LocalDateTime wall) {
    ZoneOffsetTransition transition = rules.getTransition(wall);
    if (transition == null) {
      return wall.toInstant(rules.getOffset(wall));
    }
    return transition.isGap()
        ? transition.getInstant()
        : wall.toInstant(transition.getOffsetBefore());
  }
}
