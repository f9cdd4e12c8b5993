package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.operate.ScheduleDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Schedules for people, and as JSON whose names are kept from version to version. */
final class ScheduleTexts {

  private static final List<String> COLUMNS =
      List.of("NAME", "WHEN", "ZONE", "TOPIC", "MISSED", "STATE", "NEXT");

  private ScheduleTexts() {}

  static String table(List<ScheduleDetails> schedules) {
    if (schedules.isEmpty()) {
      return "No schedules.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (ScheduleDetails schedule : schedules) {
      rows.add(
          List.of(
              TextTable.printable(schedule.name()),
              when(schedule),
              schedule.clock().cron() == null ? "-" : TextTable.printable(schedule.clock().zone()),
              TextTable.printable(schedule.message().topic()),
              missed(schedule),
              state(schedule),
              next(schedule)));
    }
    return TextTable.aligned(rows);
  }

  private static String when(ScheduleDetails schedule) {
    String cron = schedule.clock().cron();
    Duration every = schedule.clock().every();
    if (cron != null) {
      return TextTable.printable(cron);
    }
    return every == null ? "-" : "every " + DurationText.of(every);
  }

  private static String missed(ScheduleDetails schedule) {
    MisfirePolicy missed = schedule.policy().missed();
    return missed == null ? "-" : missed.label();
  }

  /** What keeps it from firing comes first. */
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

  static void fill(ObjectNode root, List<ScheduleDetails> schedules) {
    ArrayNode all = root.putArray("schedules");
    schedules.forEach(schedule -> fill(all.addObject(), schedule));
  }

  private static void fill(ObjectNode node, ScheduleDetails schedule) {
    Duration every = schedule.clock().every();
    MisfirePolicy missed = schedule.policy().missed();
    node.put("name", schedule.name());
    node.put("cron", schedule.clock().cron());
    node.put("zone", schedule.clock().zone());
    node.put("every", every == null ? null : every.toString());
    node.put("missed", missed == null ? null : missed.label());
    node.put("grace", schedule.policy().grace().toString());
    node.put("paused", schedule.standing().paused());
    node.put("overridden", schedule.standing().overridden());
    node.put("declaredAt", text(schedule.standing().declaredAt()));
    node.put("lastAt", text(schedule.standing().lastAt()));
    node.put("topic", schedule.message().topic());
    node.put("priority", schedule.message().priority());
    ArrayNode next = node.putArray("next");
    schedule.next().forEach(time -> next.add(time.toString()));
    node.put("fault", schedule.fault());
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }

  /**
   * One schedule.
   *
   * @param body whether payload and headers are shown, and not their sizes alone
   */
  static String of(ScheduleDetails schedule, boolean body) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("name", TextTable.printable(schedule.name())));
    rows.add(List.of("when", when(schedule)));
    rows.add(List.of("zone", TextTable.printable(schedule.clock().zone())));
    rows.add(List.of("missed", missed(schedule)));
    rows.add(List.of("grace", DurationText.of(schedule.policy().grace())));
    rows.add(List.of("state", state(schedule)));
    rows.add(List.of("overridden", schedule.standing().overridden() ? "yes" : "no"));
    rows.add(List.of("declared", orDash(schedule.standing().declaredAt())));
    rows.add(List.of("last", orDash(schedule.standing().lastAt())));
    rows.add(List.of("next", next(schedule)));
    rows.add(List.of("topic", TextTable.printable(schedule.message().topic())));
    rows.add(List.of("priority", Integer.toString(schedule.message().priority())));
    int bytes = schedule.message().body().payload().length;
    rows.add(List.of("payload", TextTable.plural(bytes, "byte")));
    if (schedule.fault() != null) {
      rows.add(List.of("fault", TextTable.printable(schedule.fault())));
    }
    String text = TextTable.aligned(rows);
    return body ? text + MessageTexts.body(schedule.message().body()) : text;
  }

  private static String orDash(@Nullable Instant instant) {
    return instant == null ? "-" : instant.toString();
  }

  static void fill(ObjectNode root, ScheduleDetails schedule, boolean body) {
    fill(root, schedule);
    root.put("payloadBytes", schedule.message().body().payload().length);
    if (body) {
      MessageTexts.fill(root, schedule.message().body());
    }
  }
}
