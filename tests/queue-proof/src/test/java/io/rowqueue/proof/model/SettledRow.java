package io.rowqueue.proof.model;

/**
 * A row of {@code queue_dead_letter} or {@code queue_archive}: what a message was when it left.
 *
 * @param dates with when it left
 * @param leaving who had it, and why it left
 */
record SettledRow(long id, String topic, Counts counts, Dates dates, Leaving leaving) {

  record Counts(int priority, int claims, int attempts, int lost) {}

  record Dates(long dueAt, long createdAt, long at) {}

  /** The reason and detail of a dead letter; of a copy the day that it counts for. */
  record Leaving(String worker, String why, String payload) {}

  /** {@code row} as it leaves at {@code now}. */
  static SettledRow of(MessageRow row, long now, String worker, String why) {
    return new SettledRow(
        row.id,
        row.topic,
        new Counts(row.priority, row.claims, row.attempts, row.lost),
        new Dates(row.dueAt, row.createdAt, now),
        new Leaving(worker, why, row.payload));
  }

  String line(Names names) {
    return "%s '%s' priority %d claims %d attempts %d lost %d due %s created %s left %s by %s (%s) payload %s"
        .formatted(
            names.of(id),
            topic,
            counts.priority,
            counts.claims,
            counts.attempts,
            counts.lost,
            Times.text(dates.dueAt),
            Times.text(dates.createdAt),
            Times.text(dates.at),
            leaving.worker,
            leaving.why,
            leaving.payload);
  }
}
