package io.rowqueue.message;

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
}
