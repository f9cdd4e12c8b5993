package io.rowqueue.testkit.internal.contract;

import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** What a {@link NewMessage} has, each by the name of its field. */
enum Property {
  TOPIC("topic"),
  PAYLOAD("payload"),
  PRIORITY("priority"),
  DUE_AT("dueAt"),
  DELAY("delay"),
  HEADERS("headers"),
  DEDUPLICATION("deduplication"),
  /** Of an order or of a limit. */
  ORDERING_KEY("orderingKey"),
  /** Which no caller gives: batches and chains do. */
  BATCH_ID("batchId");

  /** Finds out whether the key is held. */
  static final Deduplication PROBE = Deduplication.whileWaiting("k");

  static final Deduplication RULE = PROBE.replacing();

  private static final Duration LATER = Duration.ofHours(2);

  private final String field;

  Property(String field) {
    this.field = field;
  }

  String field() {
    return field;
  }

  /** A message to {@code topic} that has it. */
  NewMessage given(Topic topic, Instant now) {
    NewMessage bare = NewMessage.of(topic, "payload");
    return switch (this) {
      case TOPIC, PAYLOAD, BATCH_ID -> bare;
      case PRIORITY -> bare.withPriority(-7);
      case DUE_AT -> bare.withDueAt(now.plus(LATER));
      case DELAY -> bare.withDelay(LATER);
      case HEADERS -> bare.withHeader("own", "h");
      case DEDUPLICATION -> bare.withDeduplication(RULE);
      case ORDERING_KEY -> bare.withLimitKey("key");
    };
  }

  /**
   * Whether {@code message} has it, which was {@link #given}. Of a key of deduplication no message
   * tells: the next one does.
   */
  boolean isKept(QueuedMessage message, MessageDetails.Row row, Instant now) {
    return switch (this) {
      case TOPIC, BATCH_ID, DEDUPLICATION -> true;
      case PAYLOAD -> message.payloadAs(String.class).equals("payload");
      case PRIORITY -> message.priority() == -7;
      case DUE_AT, DELAY ->
          message.state() == QueuedMessage.State.SCHEDULED
              && row.dueAt().isAfter(now.plus(LATER).minusSeconds(1));
      case HEADERS -> "h".equals(message.headers().get("own"));
      case ORDERING_KEY -> Objects.equals(message.orderingKey(), "key");
    };
  }
}
