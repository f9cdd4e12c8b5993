package io.rowqueue;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message was refused because another one holds its deduplication key: as its producer asked for,
 * or because it was to replace one of another ordering key, batch or chain. Nothing of the call was
 * written, and the caller's transaction can go on; until it ends, other producers wait for the keys
 * that the call has asked for.
 */
public final class DuplicateMessageException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final String topic;
  private final String key;
  private final @Nullable Long first;

  /**
   * Says which key of which topic is held.
   *
   * @param first the message that has it; null if that is another one of the same call
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
   * A message that replaces was offered, and {@code first} is of another ordering key, batch or
   * chain, which it would leave incomplete or out of order.
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

  /** The topic whose key is held: of a call over several topics, the one that was refused. */
  public Topic topic() {
    return new Topic(topic);
  }

  /** The key that is held. */
  public String key() {
    return key;
  }

  /** The message that holds the key; empty if that is another one of the same call. */
  public Optional<MessageId> first() {
    return Optional.ofNullable(first).map(MessageId::new);
  }
}
