package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.TopicStatus;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A status as one JSON object. Its names are kept from version to version. */
final class StatusJson {

  private StatusJson() {}

  static String of(QueueStatus status) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("at", status.at().toString());
    ArrayNode topics = root.putArray("topics");
    status.topics().forEach(topic -> add(topics.addObject(), topic));
    ArrayNode workers = root.putArray("workers");
    status.workers().forEach(worker -> add(workers.addObject(), worker));
    return root.toPrettyString();
  }

  static void add(ObjectNode node, TopicStatus topic) {
    node.put("topic", topic.topic());
    node.put("available", topic.available());
    node.put("scheduled", topic.scheduled());
    node.put("blocked", topic.blocked());
    node.put("inFlight", topic.inFlight());
    node.put("deadLetters", topic.deadLetters());
    node.put("oldestAvailableSeconds", seconds(topic.oldestAvailable()));
  }

  static void add(ObjectNode node, WorkerStatus worker) {
    node.put("lockId", worker.lockId());
    node.put("host", worker.host());
    node.put("pid", worker.pid());
    node.put("version", worker.version());
    node.put("leaseSecondsLeft", seconds(worker.leaseLeft()));
    ArrayNode topics = node.putArray("topics");
    worker.topics().forEach(topics::add);
  }

  private static @Nullable Double seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis() / 1_000.0;
  }
}
