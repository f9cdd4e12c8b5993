package io.rowqueue.internal.database;

/**
 * Every write of the protocol, by name; there are no others. {@code docs/internals/protocol.md}
 * describes, in this order, who runs it, what it locks and what it means if it finds no row.
 */
public enum Transition {
  /** A producer inserts messages. */
  ENQUEUE,
  /** Due scheduled messages become available. */
  PROMOTE,
  /**
   * New messages are admitted to their ordering groups, and the lowest of each free group becomes
   * available.
   */
  ADMIT,
  /** A worker claims available messages. */
  CLAIM,
  /** The handling of a suspect starts; only for messages whose earlier claim was lost. */
  START,
  /** The handler's transaction deletes the message. */
  ACK,
  /** A failed attempt is counted and the message waits for the next one. */
  RETRY,
  /** A claim is released without counting an attempt. */
  RELEASE,
  /** A message is moved to the dead-letter queue, with its reason. */
  DEAD_LETTER,
  /** A worker registers. */
  REGISTER,
  /** A worker's lease is extended. */
  RENEW,
  /** A worker releases claims that it holds in the database but does not know. */
  RECONCILE,
  /** Claims that did not start in time, or are not due yet, are released. */
  RELEASE_UNSTARTED,
  /** A worker whose lease expired is declared dead. */
  DECLARE_DEAD,
  /** The claims of dead workers are released. */
  REAP,
  /** A worker deregisters, or a dead worker's row is removed. */
  DEREGISTER,
  /** Dead letters return to the queue. */
  REDRIVE,
  /** Dead letters are deleted permanently. */
  DISCARD,
  /** An unclaimed message is deleted from the queue. */
  CANCEL,
  /** An unclaimed message gets another due time. */
  RESCHEDULE,
  /** An unclaimed message gets another priority. */
  PRIORITIZE,
  /** A topic's messages are no longer claimed, or a worker claims no more. */
  PAUSE,
  /** A paused topic's messages are claimed again, or a paused worker claims again. */
  RESUME,
  /** Archiving of a topic's acknowledged messages is set or ended. */
  SET_RETENTION,
  /** A topic's cluster-wide limit is set or removed. */
  LIMIT,
  /** Sets whether a topic's dead letters block their ordering keys or are skipped. */
  SET_DEAD_LETTER_POLICY,
  /** A worker is requested to drain and stop. */
  DRAIN,
  /** A change by an operator is recorded. */
  AUDIT,
  /** Archived copies beyond their topic's retention are deleted. */
  PRUNE,
  /** Expired deduplication keys are deleted. */
  PRUNE_KEYS,
  /** Ordering groups whose first message is gone are marked, for a worker's next poll. */
  SWEEP_GROUPS,
  /** Ordering keys that were not used recently are deleted. */
  PRUNE_GROUPS,
  /** A process that awaits results registers its listener. */
  REGISTER_RESULT_LISTENER,
  /** Expired results are deleted. */
  PRUNE_RESULTS,
  /** Separately stored payloads of messages that are gone are deleted. */
  SWEEP_BODIES,
  /**
   * Payloads outside the database are deleted likewise, and objects of a store that no row
   * references.
   */
  SWEEP_STORED,
  /** A due schedule advances, and enqueues messages according to its policy. */
  TRIGGER_SCHEDULE,
  /** A schedule is added or changed. */
  SCHEDULE_SET,
  /** A schedule is paused. */
  SCHEDULE_PAUSE,
  /** A paused schedule is resumed. */
  SCHEDULE_RESUME,
  /** A schedule is removed; messages that it has enqueued are kept. */
  SCHEDULE_REMOVE,
  /** A schedule's message is enqueued immediately. */
  SCHEDULE_RUN,
  /** A producer inserts a copy of a message for each topic subscribed to its source. */
  PUBLISH,
  /** A topic is subscribed to a source. */
  SUBSCRIBE,
  /** A subscription is removed; copies already made are kept. */
  UNSUBSCRIBE,
  /** A subscription is paused; a worker's start does not undo it. */
  MUTE,
  /** A paused subscription is resumed. */
  UNMUTE,
  /** A batch is opened, or gets members. */
  BATCH_ADD,
  /** A batch is closed for members from outside, and completes if none is left. */
  BATCH_CLOSE,
  /** The messages of a batch that have not started are deleted from the queue. */
  BATCH_CANCEL,
  /** A batch's counts are corrected to its actual members. */
  BATCH_RECOUNT,
  /** Batches that completed long ago are deleted. */
  BATCH_PRUNE,
  /** A chain's first message is inserted, and its other steps are stored for later. */
  CHAIN_BEGIN,
  /** A chain's remaining steps and its waiting message are deleted. */
  CHAIN_CANCEL,
  /** The slots of a topic with a limit are created. */
  MAKE_SLOTS,
  /** A worker takes free slots of a topic. */
  TAKE_SLOTS,
  /** A worker records that it finds no free slot. */
  WANT_SLOTS,
  /** A worker releases slots. */
  RELEASE_SLOTS,
  /** The slots of a dead worker are freed. */
  FREE_SLOTS,
  /** A worker draws permits to start messages of a topic with a rate. */
  DRAW,
  /** Groups of a topic whose limit per key was changed are marked, for a worker's next poll. */
  APPLY_LIMIT,
  /** A sample of a topic's depth is stored for producers. */
  JUDGE,
  /** The progress of handlers is stored, and deleted after their messages. */
  REPORT,
  /** A worker's statistics are added to those of all workers; expired ones are deleted. */
  RECORD_STATISTICS,
  /** An unclaimed message is cancelled; for a claimed one, its worker is requested to cancel it. */
  REQUEST_CANCEL,
  /** A handler has stopped after a cancellation request, and its message is deleted. */
  CANCEL_CLAIMED,
  /** A message with a cancellation request is no longer claimed, and is deleted. */
  APPLY_CANCEL;

  /** The name in logs and in the documentation, such as {@code dead-letter}. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  /**
   * Whether repeating it is harmless if it is unknown whether its COMMIT succeeded. Most are fenced
   * or find nothing left to do. The exceptions: a second enqueue or publish would duplicate its
   * messages, a second handling is decided by the claim and not here, and a second cancellation, or
   * request for one, would report that there is no such message.
   */
  boolean repeatableAfterUnknownCommit() {
    return switch (this) {
      case ENQUEUE, PUBLISH, BATCH_ADD, CHAIN_BEGIN, ACK, CANCEL, REQUEST_CANCEL, SCHEDULE_RUN ->
          false;
      default -> true;
    };
  }
}
