package io.rowqueue.worker.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import io.rowqueue.worker.Signal;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerThreads;
import io.rowqueue.worker.WorkerTopics;
import io.rowqueue.worker.dispatch.Dispatcher;
import io.rowqueue.worker.lease.WorkerLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a worker that claims. Between two claims it reconciles what the database says
 * the worker holds with what the worker knows, and gives back what waits too long for a thread.
 */
@Singleton
public final class Claimer {

  private static final Logger LOG = LoggerFactory.getLogger(Claimer.class);

  /**
   * A claim that has not started by then was misjudged, and another worker may have an idle thread.
   */
  private static final Duration UNSTARTED_LONGEST = Duration.ofSeconds(1);

  private static final Duration FIRST_IDLE_WAIT = Duration.ofMillis(20);

  private final WorkerConfig config;
  private final ClaimStrategy strategy;
  private final ClaimStore claims;
  private final Dispatcher dispatcher;
  private final WorkerLease lease;
  private final WorkerThreads threads;
  private final Signal signal;
  private final List<Topic> rotation;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean stopping;
  private Duration idleWait = FIRST_IDLE_WAIT;
  private long reconciledNanos = System.nanoTime();

  @Inject
  Claimer(Rooms rooms, WorkerConfig config, WorkerThreads threads, Signal signal) {
    this.config = config;
    this.strategy = rooms.strategy;
    this.claims = rooms.claims;
    this.dispatcher = rooms.dispatcher;
    this.lease = rooms.lease;
    this.threads = threads;
    this.signal = signal;
    this.rotation = new ArrayList<>(rooms.topics.all());
  }

  /** Starts claiming. */
  public void start() {
    threads.start(
        "claimer",
        () -> {
          try {
            while (!stopping && !threads.isStopped()) {
              threads.guarded("claiming", this::turn);
            }
          } finally {
            ended.countDown();
          }
        });
  }

  /** Stops claiming; returns when no claim is under way. */
  public void stop() throws InterruptedException {
    stopping = true;
    signal.raise();
    ended.await();
  }

  /**
   * Claims once, on the calling thread, for a worker whose claimer does not run.
   *
   * @return how many were claimed
   */
  int claimNow() {
    LockId lockId = lease.trusted();
    if (lockId == null) {
      return 0;
    }
    handBack(dispatcher.takeWaiting(UNSTARTED_LONGEST));
    return claim(lockId);
  }

  private void turn() throws InterruptedException {
    LockId lockId = lease.trusted();
    if (lockId == null) {
      signal.await(FIRST_IDLE_WAIT);
      return;
    }
    int claimed = 0;
    boolean failed = true;
    try {
      reconcile(lockId);
      handBack(dispatcher.takeWaiting(UNSTARTED_LONGEST));
      claimed = claim(lockId);
      failed = false;
    } finally {
      rest(claimed, failed);
    }
  }

  private void rest(int claimed, boolean failed) throws InterruptedException {
    if (claimed > 0) {
      idleWait = FIRST_IDLE_WAIT;
    } else {
      signal.await(failed ? config.pollEvery() : idleWait);
      Duration longer = idleWait.multipliedBy(2);
      idleWait = longer.compareTo(config.pollEvery()) < 0 ? longer : config.pollEvery();
    }
  }

  private int claim(LockId lockId) {
    int room = dispatcher.room();
    if (room == 0) {
      return 0;
    }
    List<Topic> topics = claims.available(rotation);
    // Whoever was first goes last, so that no topic has the first choice every time.
    Collections.rotate(rotation, -1);
    int claimed = 0;
    for (int i = 0; i < topics.size() && room > claimed; i++) {
      int share = ceilDiv(room - claimed, topics.size() - i);
      claimed += claim(lockId, topics.get(i), share);
    }
    return claimed;
  }

  private static int ceilDiv(int whole, int parts) {
    return (whole + parts - 1) / parts;
  }

  private int claim(LockId lockId, Topic topic, int share) {
    int limit = Math.min(share, dispatcher.room(topic));
    if (limit == 0) {
      return 0;
    }
    int suspects = dispatcher.hasSuspect() ? 0 : 1;
    List<Claim> taken = strategy.claim(new ClaimRequest(topic, lockId, limit, suspects));
    List<Claim> early = taken.stream().filter(Claim::dueLater).toList();
    dispatcher.dispatch(taken.stream().filter(claim -> !claim.dueLater()).toList());
    if (!early.isEmpty()) {
      claims.handBack(early);
    }
    return taken.size() - early.size();
  }

  private void handBack(List<Claim> unstarted) {
    if (unstarted.isEmpty()) {
      return;
    }
    try {
      int rows = claims.handBack(unstarted);
      LOG.debug("{} claims had no thread within {} and were handed back", rows, UNSTARTED_LONGEST);
    } finally {
      // If it failed, reconciliation finds them in the database and not in the table.
      dispatcher.forget(unstarted);
    }
  }

  private void reconcile(LockId lockId) {
    if (System.nanoTime() - reconciledNanos < config.renewEvery().toNanos()) {
      return;
    }
    int released = claims.reconcile(lockId, dispatcher.known());
    reconciledNanos = System.nanoTime();
    if (released > 0) {
      LOG.warn(
          "{} messages were held in the database without being in flight here, and were released",
          released);
    }
  }

  /** What the claimer works with. */
  @Singleton
  static final class Rooms {
    private final ClaimStrategy strategy;
    private final ClaimStore claims;
    private final Dispatcher dispatcher;
    private final WorkerLease lease;
    private final WorkerTopics topics;

    @Inject
    Rooms(
        ClaimStrategy strategy,
        ClaimStore claims,
        Dispatcher dispatcher,
        WorkerLease lease,
        WorkerTopics topics) {
      this.strategy = strategy;
      this.claims = claims;
      this.dispatcher = dispatcher;
      this.lease = lease;
      this.topics = topics;
    }
  }
}
