package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The maximum sizes of a message's parts.
 *
 * @param payloadBytes of an encoded payload that is held in memory
 * @param headersBytes of a message's headers, as JSON
 * @param bodyAbove larger payloads are stored separately from the message's row
 * @param streamedBytes of a {@link NewMessage#streamed streamed} payload
 */
public record MessageLimits(int payloadBytes, int headersBytes, int bodyAbove, long streamedBytes) {

  /** Larger payloads are not read by a claim, but loaded when their message is handled. */
  private static final int BODY_ABOVE = 32 << 10;

  private static final long STREAMED_BYTES = 1L << 30;

  /**
   * Headers that a batch or chain adds after the producer's check: carried ones, and RowQueue's
   * own.
   */
  private static final int ADDED_BYTES = Headers.MOST_CARRIED + (1 << 10);

  /** Checks that all are positive; bodyAbove may be 0. */
  public MessageLimits {
    if (payloadBytes < 1 || headersBytes < 2 || bodyAbove < 0 || streamedBytes < 1) {
      throw new IllegalArgumentException(
          "payloadBytes and streamedBytes must be at least 1, headersBytes at least 2 and bodyAbove at least 0, not %d, %d, %d and %d"
              .formatted(payloadBytes, streamedBytes, headersBytes, bodyAbove));
    }
  }

  /** With the defaults for separately stored payloads. */
  public MessageLimits(int payloadBytes, int headersBytes) {
    this(payloadBytes, headersBytes, BODY_ABOVE, STREAMED_BYTES);
  }

  /**
   * Payloads of 4 MiB, stored separately above 32 KiB, streamed ones of 1 GiB, and headers of 16
   * KiB.
   */
  public static MessageLimits defaults() {
    return new MessageLimits(4 << 20, 16 << 10);
  }

  /** A copy with another limit for payloads, in bytes. */
  public MessageLimits withPayloadBytes(int bytes) {
    return new MessageLimits(bytes, headersBytes, bodyAbove, streamedBytes);
  }

  /** A copy with another limit for headers, in bytes of their JSON. */
  public MessageLimits withHeadersBytes(int bytes) {
    return new MessageLimits(payloadBytes, bytes, bodyAbove, streamedBytes);
  }

  /** A copy that stores payloads of more than {@code bytes} separately from their rows. */
  public MessageLimits withBodyAbove(int bytes) {
    return new MessageLimits(payloadBytes, headersBytes, bytes, streamedBytes);
  }

  /** A copy with another limit for streamed payloads, in bytes. */
  public MessageLimits withStreamedBytes(long bytes) {
    return new MessageLimits(payloadBytes, headersBytes, bodyAbove, bytes);
  }

  /**
   * The maximum size of the headers of a message that is handled: the producer's limit, plus
   * headers added since. So every accepted message can be handled.
   */
  public int handledHeadersBytes() {
    return headersBytes + ADDED_BYTES;
  }

  /**
   * Rejects a message to {@code topic} that exceeds the limits.
   *
   * @param payload encoded
   * @param headers as written by {@link Headers#toJson}
   * @throws InvalidMessageException if either is too large
   */
  public void check(Topic topic, byte[] payload, @Nullable String headers) {
    if (payload.length > payloadBytes) {
      throw new InvalidMessageException(
          ("the payload of a message to '%s' has %,d bytes, over the limit of %,d; enqueue it as a"
                  + " stream, see NewMessage.streamed, or raise the limit on producers and workers")
              .formatted(topic, payload.length, payloadBytes));
    }
    int bytes = headers == null ? 0 : headers.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > headersBytes) {
      throw new InvalidMessageException(
          "the headers of a message to '%s' have %,d bytes, over the limit of %,d; put large data into the payload"
              .formatted(topic, bytes, headersBytes));
    }
  }
}
