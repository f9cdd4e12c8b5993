package io.rowqueue.testkit;

import io.rowqueue.operate.DeadLetterReason;
import java.util.Map;

/**
 * A dead letter. Immutable.
 *
 * @param id the message's id
 * @param topic its topic
 * @param reason why it was dead-lettered
 * @param detail the description of its last failure
 * @param attempts the number of failed attempts
 * @param headers all headers, including RowQueue's
 * @param payload as stored; never changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record DeadMessage(
    long id,
    String topic,
    DeadLetterReason reason,
    String detail,
    int attempts,
    Map<String, String> headers,
    byte[] payload) {

  /**
   * Decodes the payload as a {@code type}.
   *
   * @throws io.rowqueue.PayloadException if it cannot be decoded
   */
  public <T> T payloadAs(Class<T> type) {
    return Payloads.decode(payload, type);
  }

  /** Formats it as one line. */
  @Override
  public String toString() {
    return "dead letter %d of '%s', %s (%s), failed %d times: %s"
        .formatted(id, topic, reason.label(), detail, attempts, Payloads.text(payload, headers));
  }
}
