package io.rowqueue.proof.model;

import io.rowqueue.claim.MessageState;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Up to three new messages that are alike, and the rows that they become.
 *
 * @param numbers tell their payloads apart
 * @param large whether a claim leaves their payloads to be loaded later
 */
record Parcels(Topic topic, int priority, Due due, List<Integer> numbers, boolean large) {

  private static final int LARGE = 40_000;

  static Parcels choose(World world, Choices choices) {
    Topic topic = choices.of(World.TOPICS);
    int count = 1 + choices.below(3);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(world.nextPayload());
    }
    return new Parcels(
        topic,
        choices.of(0, 0, 0, 5, -1),
        choices.of(Due.NOW, Due.NOW, Due.NOW, Due.AFTER_5_S, Due.AT_10_S, Due.AT_0_S),
        numbers,
        choices.oneIn(10));
  }

  List<NewMessage> messages() {
    return numbers.stream()
        .map(number -> NewMessage.of(topic, json(number).getBytes(StandardCharsets.UTF_8)))
        .map(message -> due.on(message.withPriority(priority)))
        .toList();
  }

  /** The rows under {@code ids}, which get their names here. */
  List<MessageRow> rows(World world, List<MessageId> ids) {
    List<MessageRow> rows = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      rows.add(row(world, ids.get(i).value(), json(numbers.get(i))));
    }
    return rows;
  }

  private MessageRow row(World world, long id, String json) {
    long now = world.model.now();
    String payload = large ? json.length() + " bytes" : json;
    MessageRow row = new MessageRow(id, topic.name(), payload, now);
    world.names.give(id);
    row.priority = priority;
    row.dueAt = due.micros(world.model);
    row.state = row.dueAt > now ? MessageState.SCHEDULED : MessageState.AVAILABLE;
    return row;
  }

  private String json(int number) {
    return "{\"number\":%d,\"filler\":\"%s\"}".formatted(number, large ? "x".repeat(LARGE) : "");
  }

  @Override
  public String toString() {
    return "%d%s to '%s'%s%s"
        .formatted(
            numbers.size(),
            large ? " large" : "",
            topic,
            priority == 0 ? "" : " with priority " + priority,
            due == Due.NOW ? "" : " due " + due);
  }
}
