package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.Topic;
import io.rowqueue.operate.SubscriptionDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Subscriptions for people, and as JSON whose names are kept from version to version. */
final class SubscriptionTexts {

  private SubscriptionTexts() {}

  static String table(List<SubscriptionDetails> subscriptions) {
    if (subscriptions.isEmpty()) {
      return "No subscriptions.";
    }
    List<List<String>> rows = new ArrayList<>(List.of(List.of("SOURCE", "TOPIC", "STATE")));
    for (SubscriptionDetails each : subscriptions) {
      rows.add(
          List.of(
              TextTable.printable(each.source()),
              TextTable.printable(each.topic()),
              each.paused() ? "muted" : "on"));
    }
    return TextTable.aligned(rows);
  }

  static void fill(ObjectNode root, List<SubscriptionDetails> subscriptions) {
    ArrayNode all = root.putArray("subscriptions");
    for (SubscriptionDetails each : subscriptions) {
      all.addObject()
          .put("source", each.source())
          .put("topic", each.topic())
          .put("muted", each.paused());
    }
  }

  static String lines(List<Topic> topics) {
    return topics.isEmpty()
        ? "Nobody would get a copy."
        : topics.stream().map(Topic::name).collect(Collectors.joining("\n"));
  }

  static void fillTopics(ObjectNode root, List<Topic> topics) {
    ArrayNode all = root.putArray("topics");
    topics.forEach(topic -> all.add(topic.name()));
  }
}
