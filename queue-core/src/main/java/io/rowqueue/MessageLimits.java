package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How large the parts of a message may be.
 *
 * @param payloadBytes the most that an encoded payload may have that is held in memory, in bytes
 * @param headersBytes the most that a message's headers may have, in bytes of their JSON
 * @param bodyAbove a producer writes payloads of more bytes beside the message's row
 * @param streamedBytes the most that a {@link NewMessage#streamed streamed} payload may have
 */
public record MessageLimits(int payloadBytes, int headersBytes, int bodyAbove, long streamedBytes) {

  /** What a claim does not read along: it is loaded when its message is handled. */
  private static final int BODY_ABOVE = 32 << 10;

  private static final long STREAMED_BYTES = 1L << 30;

  /**
   * What a batch or chain adds behind the producer's check: carried headers, and RowQueue's own.
   */
  private static final int ADDED_BYTES = Headers.MOST_CARRIED + (1 << 10);

  /** Checks that all are positive; a body may begin at the first byte. */
  public MessageLimits {
    if (payloadBytes < 1 || headersBytes < 2 || bodyAbove < 0 || streamedBytes < 1) {
      throw new IllegalArgumentException(
          "payloadBytes and streamedBytes must be at least 1, headersBytes at least 2 and bodyAbove at least 0, not %d, %d, %d and %d"
              .formatted(payloadBytes, streamedBytes, headersBytes, bodyAbove));
    }
  }

  /** With the defaults for bodies. */
  public MessageLimits(int payloadBytes, int headersBytes) {
    this(payloadBytes, headersBytes, BODY_ABOVE, STREAMED_BYTES);
  }

  /**
   * Payloads of 4 MiB, beside the row above 32 KiB, streamed ones of 1 GiB, and headers of 16 KiB.
   */
  public static MessageLimits defaults() {
    return new MessageLimits(4 << 20, 16 << 10);
  }

  /** The same with another limit for payloads, in bytes. */
  public MessageLimits withPayloadBytes(int bytes) {
    return new MessageLimits(bytes, headersBytes, bodyAbove, streamedBytes);
  }

  /** The same with another limit for headers, in bytes of their JSON. */
  public MessageLimits withHeadersBytes(int bytes) {
    return new MessageLimits(payloadBytes, bytes, bodyAbove, streamedBytes);
  }

  /** The same, but payloads of more than so many bytes lie beside their rows. */
  public MessageLimits withBodyAbove(int bytes) {
    return new MessageLimits(payloadBytes, headersBytes, bytes, streamedBytes);
  }

  /** The same with another limit for streamed payloads, in bytes. */
  public MessageLimits withStreamedBytes(long bytes) {
    return new MessageLimits(payloadBytes, headersBytes, bodyAbove, bytes);
  }

  /**
   * The most that the headers of a message may have that is handled: what its producer was allowed,
   * and what was added since. So everything that was accepted is handled.
   */
  public int handledHeadersBytes() {
    return headersBytes + ADDED_BYTES;
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
          ("the payload of a message to '%s' has %,d bytes, over the limit of %,d; enqueue it as a"
                  + " stream, see NewMessage.streamed, or raise the limit on producers and workers")
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
