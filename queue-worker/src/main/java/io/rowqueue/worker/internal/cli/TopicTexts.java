package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.KeyLimits;
import io.rowqueue.operate.TopicLimits;
import io.rowqueue.operate.TopicSetting;
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
  record Line(TopicStatus status, TopicSetting setting) {}

  /** Every topic that either of them has, by name. */
  static List<Line> lines(QueueStatus status, List<TopicSetting> settings) {
    Map<String, TopicSetting> setting = new TreeMap<>();
    Map<String, TopicStatus> held = new TreeMap<>();
    for (TopicSetting each : settings) {
      setting.put(each.topic(), each);
      held.put(each.topic(), new TopicStatus(each.topic(), 0, 0, 0, 0, 0, null));
    }
    status.topics().forEach(each -> held.put(each.topic(), each));
    List<Line> lines = new ArrayList<>();
    held.forEach(
        (name, each) ->
            lines.add(new Line(each, setting.getOrDefault(name, TopicSetting.none(name)))));
    return lines;
  }

  static String table(List<Line> lines) {
    if (lines.isEmpty()) {
      return "No topics.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (Line line : lines) {
      TopicStatus status = line.status();
      Integer days = line.setting().retentionDays();
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

  private static String full(TopicSetting setting) {
    if (setting.depth().isNone()) {
      return "-";
    }
    return setting.full() ? "yes" : "no";
  }

  private static String limits(TopicSetting setting) {
    TopicLimits limits = setting.limits();
    KeyLimits keys = setting.keyLimits();
    DepthLimit depth = setting.depth();
    List<String> texts = new ArrayList<>();
    if (limits.inFlight() != null) {
      texts.add(limits.inFlight() + " at once");
    }
    if (limits.perSecond() != null) {
      texts.add(limits.perSecond() + "/s");
    }
    if (keys.inFlight() != null) {
      texts.add(keys.inFlight() + " of a key");
    }
    if (keys.perSecond() != null) {
      texts.add(keys.perSecond() + "/s of a key");
    }
    if (depth.depth() != null) {
      texts.add(depth.depth() + " deep");
    }
    if (depth.age() != null) {
      texts.add(DurationText.of(depth.age()) + " old");
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
      node.put("retentionDays", line.setting().retentionDays());
      node.put("maxInFlight", line.setting().limits().inFlight());
      node.put("maxPerSecond", line.setting().limits().perSecond());
      node.put("keyInFlight", line.setting().keyLimits().inFlight());
      node.put("keyPerSecond", line.setting().keyLimits().perSecond());
      Duration age = line.setting().depth().age();
      node.put("maxDepth", line.setting().depth().depth());
      node.put("maxAgeSeconds", age == null ? null : age.toSeconds());
      node.put("full", line.setting().full());
      node.put("onDeadLetter", line.setting().onDeadLetter().label());
    }
  }
}
