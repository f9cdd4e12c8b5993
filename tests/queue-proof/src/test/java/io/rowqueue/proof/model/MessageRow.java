package io.rowqueue.proof.model;

import io.rowqueue.claim.MessageState;

/** A row of {@code queue_message}. Mutable; confined to the play's thread. */
final class MessageRow {

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
