package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that is published, encoded before it is known who gets it. Copies share its bytes,
 * unless their topics have wrappers: a seal tells the topic that it was made for.
 *
 * @param message as it was published; its topic is the source
 * @param payload its bytes before they are wrapped, within the limits; null if it is streamed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Draft(NewMessage message, byte @Nullable [] payload) {

  /** Those of {@code messages}, in their order. */
  static List<Draft> of(Collection<NewMessage> messages, Encoding encoding) {
    return messages.stream()
        .map(Draft::checked)
        .map(message -> new Draft(message, encode(message, encoding)))
        .toList();
  }

  private static byte @Nullable [] encode(NewMessage message, Encoding encoding) {
    return message.payload() instanceof BodySource
        ? null
        : EncodedBody.encode(message, encoding.codec(), encoding.limits());
  }

  /** A key is held by one message of one topic, and a publication is as many as are subscribed. */
  private static NewMessage checked(NewMessage message) {
    if (message.deduplication() != null) {
      throw new InvalidMessageException(
          "a message published under '%s' has a deduplication key, and keys are for enqueue; enqueue it, or publish it without"
              .formatted(message.topic()));
    }
    return message;
  }

  /** Its copy for {@code topic}. */
  EncodedMessage copyFor(Topic topic, Encoding encoding) {
    NewMessage copy =
        message.withTopic(topic).withStoredHeader(Headers.SOURCE, message.topic().name());
    return payload == null
        ? EncodedMessage.of(copy, (BodySource) copy.payload(), encoding)
        : EncodedMessage.of(
            copy, EncodedBody.of(copy, payload, encoding.wrapping(), encoding.limits()), encoding);
  }
}
