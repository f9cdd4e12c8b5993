package io.rowqueue.testkit;

import io.rowqueue.operate.DeadLetterReason;
import java.util.Map;

/**
 * A dead letter. Immutable.
 *
 * @param id the message's
 * @param topic where it was enqueued
 * @param reason why it was set aside
 * @param detail in words: what its last attempt failed of
 * @param attempts failed handlings
 * @param headers its own and RowQueue's
 * @param payload as it was stored; never changed
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
   * The payload as a {@code type}.
   *
   * @throws io.rowqueue.PayloadException if it is none
   */
  public <T> T payloadAs(Class<T> type) {
    return Payloads.decode(payload, type);
  }

  /** One line for people. */
  @Override
  public String toString() {
    return "dead letter %d of '%s', %s (%s), failed %d times: %s"
        .formatted(id, topic, reason.label(), detail, attempts, Payloads.text(payload, headers));
  }
}
