package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Schedules, for people and programs. */
final class ScheduleTexts {

  private static final List<Column<ScheduleDetails>> COLUMNS =
      List.of(
          Column.left("NAME", "name", ScheduleDetails::name),
          Column.left("WHEN", null, ScheduleTexts::when),
          Column.inJson("cron", each -> each.clock().cron()),
          Column.inLines("zone", "zone", each -> each.clock().zone()),
          Column.inTable("ZONE", each -> each.clock().cron() == null ? null : each.clock().zone()),
          Column.inTable("TOPIC", each -> each.message().topic()),
          Column.inJson("every", each -> text(each.clock().every())),
          Column.left("MISSED", "missed", ScheduleTexts::missed),
          Column.inLines("grace", null, each -> DurationText.of(each.policy().grace())),
          Column.inJson("grace", each -> text(each.policy().grace())),
          Column.left("STATE", null, ScheduleTexts::state),
          Column.inJson("paused", each -> each.standing().paused()),
          Column.inLines("overridden", "overridden", each -> each.standing().overridden()),
          Column.inLines("declared", "declaredAt", each -> each.standing().declaredAt()),
          Column.inLines("last", "lastAt", each -> each.standing().lastAt()),
          Column.left("NEXT", null, ScheduleTexts::next),
          Column.inLines("topic", "topic", each -> each.message().topic()),
          Column.inLines("priority", "priority", each -> each.message().priority()),
          Column.inJson("next", each -> each.next().stream().map(Instant::toString).toList()),
          Column.inLines("payload", null, each -> TextTable.plural(bytes(each), "byte")),
          Column.optional("fault", "fault", ScheduleDetails::fault));

  private static final List<Column<Run>> RUN =
      List.of(
          Column.left("AT", "at", Run::at),
          Column.left("NAME", "name", run -> run.schedule().name()),
          Column.left("TOPIC", "topic", run -> run.schedule().message().topic()));

  private ScheduleTexts() {}

  /** A run to come. */
  record Run(Instant at, ScheduleDetails schedule) {}

  /** The next {@code count} runs of those schedules that are not paused, the soonest first. */
  static List<Run> runs(List<ScheduleDetails> schedules, int count) {
    return schedules.stream()
        .filter(each -> !each.standing().paused())
        .flatMap(each -> each.next().stream().map(at -> new Run(at, each)))
        .sorted(Comparator.comparing(Run::at))
        .limit(count)
        .toList();
  }

  static String runTable(List<Run> runs) {
    return Column.table(runs, RUN, "No runs.");
  }

  static void fillRuns(ObjectNode root, List<Run> runs) {
    root.set("runs", Column.nodes(runs, RUN));
  }

  static String table(List<ScheduleDetails> schedules) {
    return Column.table(schedules, COLUMNS, "No schedules.");
  }

  static void fill(ObjectNode root, List<ScheduleDetails> schedules) {
    root.set("schedules", Column.nodes(schedules, COLUMNS));
  }

  static String of(ScheduleDetails schedule, boolean body) {
    String text = Column.lines(schedule, COLUMNS);
    return body ? text + MessageTexts.body(schedule.message().body()) : text;
  }

  static void fill(ObjectNode root, ScheduleDetails schedule, boolean body) {
    Column.fill(root, schedule, COLUMNS);
    root.put("payloadBytes", bytes(schedule));
    if (body) {
      MessageTexts.fill(root, schedule.message().body());
    }
  }

  private static int bytes(ScheduleDetails schedule) {
    return schedule.message().body().payload().length;
  }

  private static @Nullable String text(@Nullable Duration duration) {
    return duration == null ? null : duration.toString();
  }

  private static @Nullable String when(ScheduleDetails schedule) {
    Duration every = schedule.clock().every();
    return schedule.clock().cron() != null || every == null
        ? schedule.clock().cron()
        : "every " + DurationText.of(every);
  }

  private static @Nullable String missed(ScheduleDetails schedule) {
    MisfirePolicy missed = schedule.policy().missed();
    return missed == null ? null : missed.label();
  }

  /** What keeps it from running comes first. */
  private static String state(ScheduleDetails schedule) {
    if (schedule.standing().paused()) {
      return "paused";
    }
    if (schedule.fault() != null) {
      return "faulty";
    }
    return schedule.standing().overridden() ? "overridden" : "on";
  }

  private static String next(ScheduleDetails schedule) {
    String times = schedule.next().stream().map(TextTable::time).collect(Collectors.joining(", "));
    return times.isEmpty() ? "-" : times;
  }
}
