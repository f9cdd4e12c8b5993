package io.rowqueue.testkit.internal.contract;

import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** The properties of a {@link NewMessage}, named after its fields. */
enum Property {
  TOPIC("topic"),
  PAYLOAD("payload"),
  PRIORITY("priority"),
  DUE_AT("dueAt"),
  DELAY("delay"),
  HEADERS("headers"),
  DEDUPLICATION("deduplication"),
  /** Values of an ordering key or of a limit. */
  ORDERING_KEY("orderingKey"),
  /** Set only internally, by batches and chains. */
  BATCH_ID("batchId");

  /** Checks whether the key is held. */
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

  /** Creates a message to {@code topic} that has the property. */
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
   * Returns whether {@code message} has the property from {@link #given}. Not visible for a
   * deduplication key: only a second message with the key shows it.
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
