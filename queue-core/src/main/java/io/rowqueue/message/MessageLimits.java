package io.rowqueue.message;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How large the parts of a message may be.
 *
 * @param payloadBytes the most that an encoded payload may have, in bytes
 * @param headersBytes the most that a message's headers may have, in bytes of their JSON
 */
public record MessageLimits(int payloadBytes, int headersBytes) {

  /** Checks that both limits are positive. */
  public MessageLimits {
    if (payloadBytes < 1 || headersBytes < 2) {
      throw new IllegalArgumentException(
          "payloadBytes must be at least 1 and headersBytes at least 2, not %d and %d"
              .formatted(payloadBytes, headersBytes));
    }
  }

  /** Payloads of 4 MiB and headers of 16 KiB. */
  public static MessageLimits defaults() {
    return new MessageLimits(4 << 20, 16 << 10);
  }

  /** The same with another limit for payloads, in bytes. */
  public MessageLimits withPayloadBytes(int bytes) {
    return new MessageLimits(bytes, headersBytes);
  }

  /** The same with another limit for headers, in bytes of their JSON. */
  public MessageLimits withHeadersBytes(int bytes) {
    return new MessageLimits(payloadBytes, bytes);
  }

  /**
   * Refuses a message to {@code topic} that exceeds them.
   *
   * @param payload as its codec has encoded it
   * @param headers as {@link Headers#toJson} has written them
   * @throws InvalidMessageException if either is too large
   */
  public void check(Topic topic, byte[] payload, @Nullable String headers) {
    if (payload.length > payloadBytes) {
      throw new InvalidMessageException(
          ("the payload of a message to '%s' has %,d bytes, over the limit of %,d; store the body"
               + " elsewhere and enqueue a reference, or raise the limit on producers and workers")
              .formatted(topic, payload.length, payloadBytes));
    }
    int bytes = headers == null ? 0 : headers.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > headersBytes) {
      throw new InvalidMessageException(
          "the headers of a message to '%s' have %,d bytes, over the limit of %,d; headers are for small things, put the rest into the payload"
              .formatted(topic, bytes, headersBytes));
    }
  }
}
