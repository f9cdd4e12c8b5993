package io.rowqueue.testkit.internal.memory;

import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Instant;

/**
 * A message that was set aside.
 *
 * @param row as it was in the queue, with its failed attempts
 * @param verdict why, and by whom
 * @param deadAt when
 */
record MemoryDead(MemoryRow row, Verdict verdict, Instant deadAt) {

  private static final int DETAIL_LENGTH = 4_000;

  /**
   * Why, and by whom.
   *
   * @param attempts how many handlings had failed
   * @param lost how many claims had died with their workers
   */
  record Verdict(DeadLetterReason reason, String detail, String worker, int attempts, int lost) {

    Verdict {
      detail =
          detail.length() <= DETAIL_LENGTH ? detail : detail.substring(0, DETAIL_LENGTH - 1) + "…";
    }
  }

  DeadLetter letter() {
    return new DeadLetter(
        row.messageId(),
        row.topic,
        verdict.reason(),
        verdict.detail(),
        row.claims,
        verdict.attempts(),
        verdict.lost(),
        row.createdAt,
        deadAt);
  }
}
