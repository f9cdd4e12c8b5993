package io.rowqueue.proof.model;

/**
 * A row of {@code queue_attempt} or {@code queue_dead_letter_attempt}.
 *
 * @param error class and message
 */
record AttemptRow(long id, int claims, int attempt, String worker, long failedAt, String error) {

  String line(Names names) {
    return "%s claim %d attempt %d by %s at %s: %s"
        .formatted(names.of(id), claims, attempt, worker, Times.text(failedAt), error);
  }
}
