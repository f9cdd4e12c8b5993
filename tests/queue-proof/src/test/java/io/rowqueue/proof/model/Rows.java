package io.rowqueue.proof.model;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.proof.model.Image.Names;
import org.jspecify.annotations.Nullable;

/** The rows of the tables, of the model and of the database; each makes a line for people. */
final class Rows {

  private Rows() {}

  /** A row of {@code queue_message}. Mutable; confined to the play's thread. */
  static final class MessageRow {

    final long id;
    final String topic;
    final String payload;
    final long createdAt;
    byte state = MessageState.AVAILABLE;
    int priority;
    long dueAt;
    String lockId = "";
    int claims;
    int attempts;
    int lost;
    boolean started;
    long updatedAt;

    MessageRow(long id, String topic, String payload, long createdAt) {
      this.id = id;
      this.topic = topic;
      this.payload = payload;
      this.createdAt = createdAt;
      this.dueAt = createdAt;
      this.updatedAt = createdAt;
    }

    boolean isAvailable() {
      return state == MessageState.AVAILABLE;
    }

    boolean isClaimed() {
      return state == MessageState.CLAIMED;
    }

    boolean isScheduled() {
      return state == MessageState.SCHEDULED;
    }

    /** Leaves its worker for {@code newState}. */
    void leave(byte newState, long now) {
      state = newState;
      lockId = "";
      updatedAt = now;
    }

    /**
     * For comparison. Whether the handling has started, and since when, means something only while
     * the message is claimed; every claim sets both anew.
     */
    String line(Names names) {
      return "%s '%s' %s priority %d due %s created %s claims %d attempts %d lost %d payload %s%s"
          .formatted(
              names.of(id),
              topic,
              stateText(),
              priority,
              Times.text(dueAt),
              Times.text(createdAt),
              claims,
              attempts,
              lost,
              payload,
              isClaimed() ? (started ? " started" : "") + " since " + Times.text(updatedAt) : "");
    }

    private String stateText() {
      String text =
          switch (state) {
            case MessageState.AVAILABLE -> "available";
            case MessageState.CLAIMED -> "claimed";
            case MessageState.SCHEDULED -> "scheduled";
            default -> "in state " + state;
          };
      return lockId.isEmpty() ? text : text + " by " + lockId;
    }
  }

  record WorkerRow(String lockId, boolean alive, boolean draining, long leaseUntil) {

    WorkerRow dead() {
      return new WorkerRow(lockId, false, draining, leaseUntil);
    }

    WorkerRow drained() {
      return new WorkerRow(lockId, alive, true, leaseUntil);
    }

    WorkerRow until(long lease) {
      return new WorkerRow(lockId, alive, draining, lease);
    }

    String line() {
      return "%s %s%s until %s"
          .formatted(
              lockId,
              alive ? "alive" : "dead",
              draining ? " draining" : "",
              Times.text(leaseUntil));
    }
  }

  /** A row of {@code queue_attempt}. */
  record AttemptRow(long id, int claims, int attempt, String worker, long failedAt, String error) {

    String line(Names names) {
      return "%s claim %d attempt %d by %s at %s: %s"
          .formatted(names.of(id), claims, attempt, worker, Times.text(failedAt), error);
    }
  }

  /**
   * A row of {@code queue_dead_letter} or {@code queue_archive}: what a message was when it left.
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

  record TopicRow(boolean paused, @Nullable Integer retentionDays, @Nullable Integer inFlight) {

    static final TopicRow DEFAULTS = new TopicRow(false, null, null);

    String line(String topic) {
      return "'%s' %s, kept for %s days, %s at once"
          .formatted(topic, paused ? "paused" : "open", retentionDays, inFlight);
    }
  }
}
