package io.rowqueue.internal.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * Runs whenever the wall clock matches: never in a gap, and twice in a repeated hour. Between two
 * transitions of the zone the offset is constant, so the computation steps from one transition to
 * the next.
 */
record WallClockTimes(CronSyntax syntax, ZoneRules rules) implements ScheduleTimes {

  @Override
  public Optional<Instant> after(Instant time) {
    Instant from = time;
    LocalDateTime wall = wall(time);
    while (true) {
      Optional<Instant> next = instant(syntax.after(wall), rules.getOffset(from));
      ZoneOffsetTransition end = rules.nextTransition(from);
      if (next.isEmpty() || end == null || next.get().isBefore(end.getInstant())) {
        return next;
      }
      from = end.getInstant();
      wall = wall(from).minusNanos(1);
    }
  }

  @Override
  public Optional<Instant> upTo(Instant time) {
    Instant from = time;
    while (true) {
      Optional<Instant> last = instant(syntax.upTo(wall(from)), rules.getOffset(from));
      ZoneOffsetTransition begin = rules.previousTransition(from.plusNanos(1));
      if (last.isEmpty() || begin == null || !last.get().isBefore(begin.getInstant())) {
        return last;
      }
      from = begin.getInstant().minusNanos(1);
    }
  }

  private LocalDateTime wall(Instant time) {
    return LocalDateTime.ofInstant(time, rules.getOffset(time));
  }

  private static Optional<Instant> instant(Optional<LocalDateTime> wall, ZoneOffset offset) {
    return wall.map(found -> found.toInstant(offset));
  }
}
