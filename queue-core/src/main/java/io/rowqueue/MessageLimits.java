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
    checkLeast("max-payload-size", payloadBytes, 1);
    checkLeast("max-header-size", headersBytes, 2);
    checkLeast("bodyAbove", bodyAbove, 0);
    checkLeast("streamedBytes", streamedBytes, 1);
  }

  private static void checkLeast(String name, long value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s must be at least %d, not %d".formatted(name, least, value));
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
          ("the payload of a message to '%s' has %,d bytes, over the limit of %,d; raise"
                  + " max-payload-size (MessageLimits in Java) on producers and workers, or enqueue"
                  + " it as a stream (--payload-file, or NewMessage.streamed)")
              .formatted(topic, payload.length, payloadBytes));
    }
    int bytes = headers == null ? 0 : headers.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > headersBytes) {
      throw new InvalidMessageException(
          "the headers of a message to '%s' have %,d bytes, over the limit of %,d; put large data into the payload, or raise max-header-size (MessageLimits in Java) on producers and workers"
              .formatted(topic, bytes, headersBytes));
    }
  }
}
