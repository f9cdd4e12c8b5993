package io.rowqueue.worker.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.reap.Reaper;
import io.rowqueue.worker.Signal;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerThreads;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What any worker does for all: reaps the claims of the dead, in bounded batches. */
@Singleton
public final class Maintenance {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  private static final int BATCH = 500;
  private static final Duration PEERS_EVERY = Duration.ofSeconds(1);
  private static final Duration SECOND_LOOK = Duration.ofMillis(500);
  private static final Duration REAP_LEAST = Duration.ofMillis(200);
  private static final Duration REAP_MOST = Duration.ofSeconds(3);

  private final WorkerConfig config;
  private final Reaper reaper;
  private final WorkerThreads threads;
  private final Signal claimer;

  @Inject
  Maintenance(WorkerConfig config, Reaper reaper, WorkerThreads threads, Signal claimer) {
    this.config = config;
    this.reaper = reaper;
    this.threads = threads;
    this.claimer = claimer;
  }

  /** Starts the loops. */
  public void start() {
    threads.loop("reap", reapEvery(config.lease()), this::reap);
    threads.loop("peers", PEERS_EVERY, this::lookAtPeers);
  }

  /** A fifth of the lease, so that a death is noticed soon after it, within bounds. */
  static Duration reapEvery(Duration lease) {
    Duration fifth = lease.dividedBy(5);
    if (fifth.compareTo(REAP_LEAST) < 0) {
      return REAP_LEAST;
    }
    return fifth.compareTo(REAP_MOST) > 0 ? REAP_MOST : fifth;
  }

  /** A lock that is free on two looks is a dead worker's; one whose connection broke is not. */
  private void lookAtPeers() {
    Set<Reaper.Unlocked> first = reaper.unlocked();
    if (first.isEmpty()) {
      return;
    }
    threads.pause(SECOND_LOOK);
    Set<Reaper.Unlocked> second = reaper.unlocked();
    boolean died = false;
    for (Reaper.Unlocked worker : first) {
      if (second.contains(worker) && reaper.declareDead(worker)) {
        LOG.warn(
            "worker {} was declared dead: its process or its connection is gone", worker.lockId());
        died = true;
      }
    }
    if (died) {
      reap();
    }
  }

  private void reap() {
    if (!reaper.hasWork()) {
      return;
    }
    int dead = reaper.declareDead();
    if (dead > 0) {
      LOG.warn("{} workers were declared dead: their leases ran out", dead);
    }
    Reaper.Reaped reaped;
    do {
      reaped = reaper.reap(BATCH, config.maxLost());
      if (reaped.total() > 0) {
        LOG.warn(
            "{} messages of dead workers are available again, {} were quarantined",
            reaped.released(),
            reaped.quarantined());
        claimer.raise();
      }
    } while (reaped.total() == BATCH && !threads.isStopped());
    reaper.removeDead();
  }
}
