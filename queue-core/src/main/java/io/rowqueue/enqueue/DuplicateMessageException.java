package io.rowqueue.enqueue;

import io.rowqueue.QueueException;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message was refused because another one holds its deduplication key, as its producer asked for.
 * Nothing of the call was written, and the caller's transaction can go on; until it ends, other
 * producers wait for the keys that the call has asked for.
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
    super(
        "deduplication key '%s' of topic '%s' is held by %s; nothing of the call was enqueued"
            .formatted(
                key,
                topic,
                first == null ? "another message of the same call" : "message " + first));
    this.topic = topic.name();
    this.key = key;
    this.first = first;
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
