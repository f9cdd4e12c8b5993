package io.rowqueue.internal.database;

/**
 * Every write of the protocol by its name; no other exists. Who runs it, what it locks and what it
 * means that it finds no row stands in {@code docs/internals/protocol.md}, in this order.
 */
public enum Transition {
  /** A producer inserts messages. */
  ENQUEUE,
  /** Scheduled messages that are due become available. */
  PROMOTE,
  /** Messages that have arrived join their lines, and the lowest of a line without a head goes. */
  ADMIT,
  /** Available messages become one worker's. */
  CLAIM,
  /** A suspect's handling begins; only for messages whose earlier claim was lost. */
  START,
  /** The handler's transaction deletes the message. */
  ACK,
  /** A failed attempt is counted and the message waits for the next. */
  RETRY,
  /** A claim is given back without counting an attempt. */
  RELEASE,
  /** A message is set aside with its reason. */
  DEAD_LETTER,
  /** A worker begins its life. */
  REGISTER,
  /** A worker's lease is extended. */
  RENEW,
  /** A worker releases what it holds in the database and does not know. */
  RECONCILE,
  /** Claims that did not start in time, or are not due yet, are given back. */
  RELEASE_UNSTARTED,
  /** A worker whose lease ran out is declared dead. */
  DECLARE_DEAD,
  /** The claims of the dead are released for others. */
  REAP,
  /** A worker ends its life in good order, or a dead one's row is removed. */
  DEREGISTER,
  /** Dead letters return to the queue. */
  REDRIVE,
  /** Dead letters are deleted for good. */
  DISCARD,
  /** A message that nobody has claimed is taken out of the queue. */
  CANCEL,
  /** A message that nobody has claimed gets another due time. */
  RESCHEDULE,
  /** A message that nobody has claimed gets another priority. */
  PRIORITIZE,
  /** A topic's messages are no longer claimed. */
  PAUSE,
  /** A paused topic's messages are claimed again. */
  RESUME,
  /** A topic's acknowledged messages are archived from now on, or no longer. */
  SET_RETENTION,
  /** A topic gets a limit for the whole cluster, or loses it. */
  LIMIT,
  /** Whether a dead letter holds its line, or is stepped over, is set for a topic. */
  SET_DEAD_LETTER_POLICY,
  /** A worker is asked to drain and end. */
  DRAIN,
  /** Archived copies that are older than their topic keeps them are deleted. */
  PRUNE,
  /** Deduplication keys that nothing holds any more are deleted. */
  PRUNE_KEYS,
  /** Lines whose head is gone are marked, for a worker's next look. */
  SWEEP_GROUPS,
  /** Ordering keys that nobody has used lately are forgotten. */
  PRUNE_GROUPS,
  /** A process that awaits results says where it sleeps. */
  REGISTER_RESULT_LISTENER,
  /** Results whose time is over are deleted. */
  PRUNE_RESULTS,
  /** Payloads beside the rows of messages that are gone are deleted. */
  SWEEP_BODIES,
  /** The same outside the database, and what a store has that no row names. */
  SWEEP_STORED,
  /** A schedule that is due moves on, and enqueues what its policy says. */
  TRIGGER_SCHEDULE,
  /** A schedule is added or changed. */
  SCHEDULE_SET,
  /** A schedule no longer fires. */
  SCHEDULE_PAUSE,
  /** A paused schedule fires again. */
  SCHEDULE_RESUME,
  /** A schedule is removed; what it has enqueued stays. */
  SCHEDULE_REMOVE,
  /** A schedule's message is enqueued out of turn. */
  SCHEDULE_RUN,
  /** A producer inserts a copy of a message for each topic that is subscribed to its source. */
  PUBLISH,
  /** A topic gets copies of what is published under a source from now on. */
  SUBSCRIBE,
  /** It gets none any more; those that it has stay. */
  UNSUBSCRIBE,
  /** The same for a time: the subscription stays, and a worker's start does not undo it. */
  MUTE,
  /** It gets copies again. */
  UNMUTE,
  /** A batch is opened, or gets members. */
  BATCH_ADD,
  /** A batch gets no members from outside any more, and completes if none is left. */
  BATCH_CLOSE,
  /** What has not started of a batch is taken out of the queue. */
  BATCH_CANCEL,
  /** A batch's counts are set to what is there. */
  BATCH_RECOUNT,
  /** Batches that were complete for long are forgotten. */
  BATCH_PRUNE,
  /** A chain's first message is inserted, and the others are kept for its ack. */
  CHAIN_BEGIN,
  /** The steps to come of a chain are deleted, and the message that waits. */
  CHAIN_CANCEL,
  /** The slots of a topic with a limit are made. */
  MAKE_SLOTS,
  /** A worker takes free slots of a topic. */
  TAKE_SLOTS,
  /** A worker that finds no free slot says so. */
  WANT_SLOTS,
  /** A worker gives slots back. */
  GIVE_SLOTS_BACK,
  /** The slots of a dead worker are freed for others. */
  FREE_SLOTS,
  /** A worker draws what it may begin of a topic with a rate. */
  DRAW,
  /** Lines of a topic whose limit for each key was changed are marked, for a worker's next look. */
  APPLY_LIMIT,
  /** How full a topic is, is written down for producers. */
  JUDGE,
  /** How far handlings are, is written down for people, and deleted when they have ended. */
  REPORT,
  /** A message is cancelled if nobody has claimed it; otherwise its worker is asked to. */
  REQUEST_CANCEL,
  /** A handling that was asked to stop has stopped, and its message is gone. */
  CANCEL_CLAIMED,
  /** A message whose worker was asked to cancel it is nobody's any more, and is cancelled. */
  APPLY_CANCEL;

  /** The name as logs and the documentation write it, such as {@code dead-letter}. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  /**
   * Whether running it again is harmless when nobody knows if its COMMIT arrived. The others are
   * fenced or find nothing left to do; a second enqueue or publish would double its messages, a
   * second handling is decided by the claim, not here, and a second cancel, or asking for it, would
   * tell its caller that there is no such message.
   */
  boolean repeatableAfterUnknownCommit() {
    return switch (this) {
      case ENQUEUE, PUBLISH, BATCH_ADD, CHAIN_BEGIN, ACK, CANCEL, REQUEST_CANCEL, SCHEDULE_RUN ->
          false;
      default -> true;
    };
  }
}
