package io.rowqueue;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message was rejected because another one holds its deduplication key: either its rule says so,
 * or it would have replaced a message of another ordering key, batch or chain. Nothing of the call
 * was written, and the caller's transaction can continue; until it ends, other producers wait for
 * the keys of the call.
 */
public final class DuplicateMessageException extends QueueException {

  private final String topic;
  private final String key;
  private final @Nullable Long first;

  /**
   * Creates the exception for a key of a topic.
   *
   * @param first the message that holds it; null if it is another one of the same call
   */
  public DuplicateMessageException(Topic topic, String key, @Nullable Long first) {
    this(topic, key, first, "; nothing of the call was enqueued");
  }

  private DuplicateMessageException(
      Topic topic, String key, @Nullable Long first, String consequence) {
    super(
        "deduplication key '%s' of topic '%s' is held by %s%s"
            .formatted(
                key,
                topic,
                first == null ? "another message of the same call" : "message " + first,
                consequence));
    this.topic = topic.name();
    this.key = key;
    this.first = first;
  }

  /**
   * For a message that should replace {@code first}, which has another ordering key, batch or chain
   * and would leave it incomplete or out of order.
   */
  public static DuplicateMessageException ofAnotherGroup(
      Topic topic, String key, @Nullable Long first) {
    return new DuplicateMessageException(
        topic,
        key,
        first,
        ", which has another ordering key, batch or chain and cannot be replaced; nothing of the"
            + " call was enqueued. Make ordering key, batch or chain part of the deduplication"
            + " key");
  }

  /** The topic of the key; for a call over several topics, the one whose message was rejected. */
  public Topic topic() {
    return new Topic(topic);
  }

  /** The key that is held. */
  public String key() {
    return key;
  }

  /** The message that holds the key; empty if it is another one of the same call. */
  public Optional<MessageId> first() {
    return Optional.ofNullable(first).map(MessageId::new);
  }
}
