package io.rowqueue.testkit.internal.memory;

import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Instant;

/**
 * A dead letter.
 *
 * @param row as in the queue, with its failed attempts
 * @param cause the reason
 * @param deadAt when it was dead-lettered
 */
record MemoryDead(MemoryRow row, Cause cause, Instant deadAt) {

  private static final int DETAIL_LENGTH = 4_000;

  /**
   * Why it was dead-lettered, and by which worker.
   *
   * @param attempts the number of failed attempts
   * @param lost the number of lost claims
   */
  record Cause(DeadLetterReason reason, String detail, String worker, int attempts, int lost) {

    Cause {
      detail =
          detail.length() <= DETAIL_LENGTH ? detail : detail.substring(0, DETAIL_LENGTH - 1) + "…";
    }
  }

  DeadLetter letter() {
    return new DeadLetter(
        row.messageId(),
        row.topic,
        cause.reason(),
        cause.detail(),
        row.claims,
        cause.attempts(),
        cause.lost(),
        row.createdAt,
        deadAt);
  }
}
