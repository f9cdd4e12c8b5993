package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Topics and their ordering keys, for people and programs. */
final class TopicTexts {

  private static final List<Column<Line>> COLUMNS = columns();

  private static final List<Column<OrderingKeyDetails>> LINE =
      List.of(
          Column.inJson("orderingKey", OrderingKeyDetails::key),
          Column.right("WAITING", null, OrderingKeyDetails::waiting),
          Column.right("CONCURRENT", null, OrderingKeyDetails::concurrent),
          Column.right(
              "FIRST MESSAGE",
              "firstMessage",
              line -> line.head() == null ? null : line.head().value()),
          Column.left("STATE", "state", line -> line.place() == null ? null : line.place().label()),
          Column.inJson("concurrent", OrderingKeyDetails::concurrent),
          Column.inJson("waiting", OrderingKeyDetails::waiting),
          Column.inTable("ORDERING KEY", line -> TextTable.shortened(line.key())));

  private TopicTexts() {}

  private static List<Column<Line>> columns() {
    List<Column<Line>> columns = new ArrayList<>();
    StatusCommand.TOPIC.forEach(column -> columns.add(column.of(Line::status)));
    columns.addAll(
        1,
        List.of(
            Column.inTable("PAUSED", line -> line.setting.paused()),
            Column.right("ARCHIVE", null, line -> days(line.setting)),
            Column.right("LIMITS", null, line -> limits(line.setting))));
    columns.addAll(
        List.of(
            Column.inJson("paused", line -> line.setting.paused()),
            Column.inJson("retentionDays", line -> line.setting.settings().retentionDays()),
            Column.inJson("maxInFlight", line -> line.setting.settings().maxInFlight()),
            Column.inJson("maxPerSecond", line -> line.setting.settings().maxPerSecond()),
            Column.inJson("keyInFlight", line -> line.setting.settings().keyInFlight()),
            Column.inJson("keyPerSecond", line -> line.setting.settings().keyPerSecond()),
            Column.inJson("weight", line -> line.setting.settings().weight()),
            Column.inJson("maxDepth", line -> line.setting.settings().maxDepth()),
            Column.inJson("maxAgeSeconds", line -> seconds(line.setting.settings().maxAge())),
            Column.inJson("full", line -> line.setting.full()),
            Column.inJson("onDeadLetter", line -> line.setting.onDeadLetter().label()),
            Column.inTable("FULL", line -> full(line.setting))));
    return columns;
  }

  record Line(TopicStatus status, TopicInfo setting) {}

  /** Every topic that either of them has, by name. */
  static List<Line> lines(QueueStatus status, List<TopicInfo> settings) {
    Map<String, TopicInfo> setting = new TreeMap<>();
    Map<String, TopicStatus> held = new TreeMap<>();
    for (TopicInfo each : settings) {
      setting.put(each.topic(), each);
      held.put(each.topic(), new TopicStatus(each.topic(), 0, 0, 0, 0, 0, null));
    }
    status.topics().forEach(each -> held.put(each.topic(), each));
    List<Line> lines = new ArrayList<>();
    held.forEach(
        (name, each) ->
            lines.add(new Line(each, setting.getOrDefault(name, TopicInfo.none(name)))));
    return lines;
  }

  /** A topic with everything that concerns it. */
  record Whole(
      TopCommand.Line work,
      TopicInfo setting,
      List<String> workers,
      List<String> schedules,
      List<String> sources,
      List<String> subscribers) {}

  private static final List<Column<Whole>> WHOLE = whole();

  private static List<Column<Whole>> whole() {
    List<Column<Whole>> columns = new ArrayList<>();
    columns()
        .forEach(column -> columns.add(column.of(all -> new Line(all.work.status(), all.setting))));
    TopCommand.WORK.forEach(column -> columns.add(column.of(Whole::work)));
    columns.addAll(
        List.of(
            Column.inLines("paused", null, all -> all.setting.paused()),
            Column.inLines("over its limit", null, all -> full(all.setting)),
            Column.inLines("on dead letter", null, all -> all.setting.onDeadLetter().label())));
    addNames(columns, "workers", "workers", Whole::workers);
    addNames(columns, "schedules", "schedules", Whole::schedules);
    addNames(columns, "copies from", "sources", Whole::sources);
    addNames(columns, "subscribers", "subscribers", Whole::subscribers);
    return columns;
  }

  /** A dash for people if there is none, and an empty array for programs. */
  private static void addNames(
      List<Column<Whole>> columns, String label, String json, Function<Whole, List<String>> names) {
    columns.add(
        Column.inLines(label, null, all -> names.apply(all).isEmpty() ? null : names.apply(all)));
    columns.add(Column.inJson(json, names));
  }

  static String one(Whole topic) {
    return Column.lines(topic, WHOLE);
  }

  static void fill(ObjectNode root, Whole topic) {
    Column.fill(root, topic, WHOLE);
  }

  static String table(List<Line> lines) {
    return Column.table(lines, COLUMNS, "No topics.");
  }

  static void fill(ObjectNode root, Instant at, List<Line> lines) {
    root.put("at", at.toString());
    root.set("topics", Column.nodes(lines, COLUMNS));
  }

  static String lineTable(List<OrderingKeyDetails> lines) {
    return Column.table(lines, LINE, "No ordering keys.");
  }

  static void fill(ObjectNode root, List<OrderingKeyDetails> lines) {
    root.set("orderingKeys", Column.nodes(lines, LINE));
  }

  private static @Nullable String days(TopicInfo setting) {
    Integer days = setting.settings().retentionDays();
    return days == null ? null : TextTable.plural(days, "day");
  }

  private static @Nullable Boolean full(TopicInfo setting) {
    return setting.settings().depthLimit().isNone() ? null : setting.full();
  }

  private static @Nullable Long seconds(@Nullable Duration age) {
    return age == null ? null : age.toSeconds();
  }

  private static @Nullable String limits(TopicInfo setting) {
    TopicSettings settings = setting.settings();
    Duration age = settings.maxAge();
    String text =
        Stream.of(
                limit(settings.maxInFlight(), " at once"),
                limit(settings.maxPerSecond(), "/s"),
                limit(settings.keyInFlight(), " of a key"),
                limit(settings.keyPerSecond(), "/s of a key"),
                Optional.ofNullable(settings.weight()).map(weight -> "weight " + weight),
                limit(settings.maxDepth(), " deep"),
                limit(age == null ? null : DurationText.of(age), " old"))
            .flatMap(Optional::stream)
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? null : text;
  }

  private static Optional<String> limit(@Nullable Object limit, String unit) {
    return limit == null ? Optional.empty() : Optional.of(limit + unit);
  }
}
