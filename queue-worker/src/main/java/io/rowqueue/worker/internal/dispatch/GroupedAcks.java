package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acks messages whose handlers wrote nothing to this database, hundreds per commit: measured, 38 to
 * 53 thousand a second instead of 7 to 12 thousand one by one. While one group commits, the next
 * gathers, so that an ack waits for at most one earlier commit. If the server rejects a group, for
 * example because of a trigger, its messages are acked one by one. During an outage the group is
 * retried until it succeeds, since another worker would repeat the messages' effects. Thread-safe.
 */
final class GroupedAcks {

  private static final Logger LOG = LoggerFactory.getLogger(GroupedAcks.class);

  private static final int MOST = 500;
  private static final long POLL_MILLIS = 200;
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final Acker acker;
  private final WorkerThreads threads;
  private final BlockingQueue<Claim> handled = new LinkedBlockingQueue<>();
  private final AtomicInteger pending = new AtomicInteger();
  private volatile boolean closed;
  private long saidNanos = System.nanoTime() - SAY_EVERY_NANOS;

  GroupedAcks(Acker acker, WorkerThreads threads) {
    this.acker = acker;
    this.threads = threads;
  }

  void add(Claim claim) {
    pending.incrementAndGet();
    handled.add(claim);
  }

  /** Returns the number of processed messages not yet acked. */
  int pending() {
    return pending.get();
  }

  /** Acks until it is closed, or {@code over}, and no message is left. */
  void ackUntil(BooleanSupplier over) {
    while (!(closed || over.getAsBoolean()) || !handled.isEmpty()) {
      threads.guarded("acking", () -> ackNext(over));
    }
  }

  void close() {
    closed = true;
  }

  private void ackNext(BooleanSupplier over) {
    List<Claim> group = next();
    if (!group.isEmpty()) {
      ack(group, over);
    }
  }

  private List<Claim> next() {
    List<Claim> group = new ArrayList<>();
    Claim first = first();
    if (first != null) {
      group.add(first);
      handled.drainTo(group, MOST - 1);
    }
    return group;
  }

  private @Nullable Claim first() {
    try {
      return handled.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Processed messages are acked before this thread ends; only close() ends it.
      return handled.poll();
    }
  }

  private void ack(List<Claim> group, BooleanSupplier over) {
    List<Claim> left = group;
    try {
      while (!left.isEmpty()) {
        left = leftOf(left, over);
      }
    } finally {
      pending.addAndGet(-group.size());
      acker.ended(group);
    }
  }

  /** Acks {@code group}; returns the claims to retry if the server is unavailable. */
  private List<Claim> leftOf(List<Claim> group, BooleanSupplier over) {
    try {
      together(group);
      return List.of();
    } catch (Throwable e) {
      return isRefusal(e) ? eachAlone(group, over) : again(group, e, over);
    }
  }

  private void together(List<Claim> group) {
    int acked = acker.ackAll(group);
    if (acked < group.size()) {
      LOG.warn(
          "{} of {} lost before the ack; the next claimers will process them again",
          group.size() - acked,
          Humanize.count(group.size(), "claim was", "claims were"));
    }
  }

  /**
   * Only the rejected message must fail; after a connection failure, the others are retried later.
   */
  private List<Claim> eachAlone(List<Claim> group, BooleanSupplier over) {
    for (int i = 0; i < group.size(); i++) {
      try {
        together(group.subList(i, i + 1));
      } catch (Throwable e) {
        if (!isRefusal(e)) {
          return again(group.subList(i, group.size()), e, over);
        }
        refused(group.get(i), e);
      }
    }
    return List.of();
  }

  /** An ack takes seconds to fail, so this is no busy loop. */
  private List<Claim> again(List<Claim> claims, Throwable failure, BooleanSupplier over) {
    boolean passes =
        TransientFailures.isTransient(failure) || TransientFailures.isUnavailable(failure);
    if (!passes || closed || over.getAsBoolean()) {
      giveUp(claims, failure);
      return List.of();
    }
    long now = System.nanoTime();
    if (now - saidNanos >= SAY_EVERY_NANOS) {
      saidNanos = now;
      LOG.warn(
          "{} not acked yet; retrying until the ack succeeds or the claims are lost: {}",
          Humanize.count(claims.size(), "handled message is", "handled messages are"),
          FailureText.of(failure));
    }
    return claims;
  }

  /** Not the connection's or the server's failure; a retry of the same ack would fail again. */
  private static boolean isRefusal(Throwable failure) {
    return failure instanceof Exception && !TransientFailures.isOutage(failure);
  }

  private void refused(Claim claim, Throwable refusal) {
    try {
      acker.refused(claim, refusal);
    } catch (Throwable e) {
      giveUp(List.of(claim), e);
    }
  }

  private static void giveUp(List<Claim> claims, Throwable failure) {
    // An outage is not a bug; a stack trace for each group would flood the log.
    Throwable trace = failure instanceof QueueException ? null : failure;
    LOG.error(
        "{} not be acked; released at the next reconciliation and processed again: {}",
        Humanize.count(claims.size(), "handled message could", "handled messages could"),
        FailureText.of(failure),
        trace);
  }

  /** Callbacks for acks. */
  interface Acker {

    /**
     * Acks all {@code claims} in one transaction, or none.
     *
     * @return how many were still held
     */
    int ackAll(List<Claim> claims);

    /** Called when the ack of {@code claim} is rejected permanently: its attempt has failed. */
    void refused(Claim claim, Throwable refusal);

    /** Called when {@code claims} are done, acked or not. */
    void ended(List<Claim> claims);
  }
}
