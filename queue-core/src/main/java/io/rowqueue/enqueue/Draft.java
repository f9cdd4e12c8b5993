package io.rowqueue.enqueue;

import io.rowqueue.message.Headers;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.message.Topic;
import io.rowqueue.wrap.Wrapping;
import java.util.Collection;
import java.util.List;

/**
 * A message that is published, encoded before it is known who gets it. Copies share its bytes,
 * unless their topics have wrappers: a seal tells the topic that it was made for.
 *
 * @param message as it was published; its topic is the source
 * @param payload its bytes before they are wrapped, within the limits
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Draft(NewMessage message, byte[] payload) {

  /** Those of {@code messages}, in their order. */
  static List<Draft> of(Collection<NewMessage> messages, PayloadCodec codec, MessageLimits limits) {
    return messages.stream()
        .map(Draft::checked)
        .map(message -> new Draft(message, EncodedBody.encode(message, codec, limits)))
        .toList();
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
  EncodedMessage copyFor(Topic topic, Wrapping wrapping, MessageLimits limits) {
    NewMessage copy =
        message.withTopic(topic).withStoredHeader(Headers.SOURCE, message.topic().name());
    return EncodedMessage.of(copy, EncodedBody.of(copy, payload, wrapping, limits), limits);
  }
}
