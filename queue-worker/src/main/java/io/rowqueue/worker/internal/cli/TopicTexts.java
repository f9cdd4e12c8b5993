package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Topics for people, and as JSON whose names are kept from version to version. */
final class TopicTexts {

  private static final List<String> COLUMNS =
      List.of(
          "TOPIC",
          "PAUSED",
          "KEPT",
          "LIMITS",
          "AVAILABLE",
          "SCHEDULED",
          "IN LINE",
          "IN FLIGHT",
          "DEAD LETTERS",
          "OLDEST AVAILABLE",
          "OVERFULL");

  private TopicTexts() {}

  /** What a topic holds and what is set for it. */
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

  static String table(List<Line> lines) {
    if (lines.isEmpty()) {
      return "No topics.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (Line line : lines) {
      TopicStatus status = line.status();
      Integer days = line.setting().settings().retentionDays();
      rows.add(
          List.of(
              TextTable.printable(status.topic()),
              line.setting().paused() ? "yes" : "no",
              days == null ? "-" : TextTable.plural(days, "day"),
              limits(line.setting()),
              Long.toString(status.available()),
              Long.toString(status.scheduled()),
              Long.toString(status.blocked()),
              Long.toString(status.inFlight()),
              Long.toString(status.deadLetters()),
              TextTable.age(status.oldestAvailable()),
              full(line.setting())));
    }
    return TextTable.aligned(rows, 2, 9);
  }

  private static String full(TopicInfo setting) {
    if (setting.settings().depthLimit().isNone()) {
      return "-";
    }
    return setting.full() ? "yes" : "no";
  }

  private static String limits(TopicInfo setting) {
    TopicSettings settings = setting.settings();
    List<String> texts = new ArrayList<>();
    if (settings.maxInFlight() != null) {
      texts.add(settings.maxInFlight() + " at once");
    }
    if (settings.maxPerSecond() != null) {
      texts.add(settings.maxPerSecond() + "/s");
    }
    if (settings.keyInFlight() != null) {
      texts.add(settings.keyInFlight() + " of a key");
    }
    if (settings.keyPerSecond() != null) {
      texts.add(settings.keyPerSecond() + "/s of a key");
    }
    if (settings.maxDepth() != null) {
      texts.add(settings.maxDepth() + " deep");
    }
    if (settings.maxAge() != null) {
      texts.add(DurationText.of(settings.maxAge()) + " old");
    }
    return texts.isEmpty() ? "-" : String.join(", ", texts);
  }

  static void fill(ObjectNode root, Instant at, List<Line> lines) {
    root.put("at", at.toString());
    ArrayNode topics = root.putArray("topics");
    for (Line line : lines) {
      ObjectNode node = topics.addObject();
      StatusJson.add(node, line.status());
      node.put("paused", line.setting().paused());
      TopicSettings settings = line.setting().settings();
      node.put("retentionDays", settings.retentionDays());
      node.put("maxInFlight", settings.maxInFlight());
      node.put("maxPerSecond", settings.maxPerSecond());
      node.put("keyInFlight", settings.keyInFlight());
      node.put("keyPerSecond", settings.keyPerSecond());
      Duration age = settings.maxAge();
      node.put("maxDepth", settings.maxDepth());
      node.put("maxAgeSeconds", age == null ? null : age.toSeconds());
      node.put("full", line.setting().full());
      node.put("onDeadLetter", line.setting().afterDeadLetter().label());
    }
  }
}
