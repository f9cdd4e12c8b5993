package io.rowqueue.worker.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.reap.Reaper;
import io.rowqueue.worker.Signal;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerThreads;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What any worker does for all: reaps the claims of the dead, in bounded batches. */
@Singleton
public final class Maintenance {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  private static final int BATCH = 500;
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

  /** Starts the loop. */
  public void start() {
    threads.loop("reap", reapEvery(config.lease()), this::reap);
  }

  /** A fifth of the lease, so that a death is noticed soon after it, within bounds. */
  static Duration reapEvery(Duration lease) {
    Duration fifth = lease.dividedBy(5);
    if (fifth.compareTo(REAP_LEAST) < 0) {
      return REAP_LEAST;
    }
    return fifth.compareTo(REAP_MOST) > 0 ? REAP_MOST : fifth;
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
