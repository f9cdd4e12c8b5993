package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.body.StoredBodySweep;
import io.rowqueue.internal.deduplicate.DeduplicationKeys;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.internal.progress.ProgressStore;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.Archive;
import io.rowqueue.operate.Batches;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.lease.WorkerLease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cluster-wide maintenance that any worker performs, in bounded batches: reaps claims of dead
 * workers, prunes old rows.
 */
@Singleton
public final class Maintenance {

  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);

  private static final int BATCH = 500;
  private static final Duration PRUNE_EVERY = Duration.ofMinutes(10);

  private static final Duration SWEEP_STORES_EVERY = Duration.ofHours(1);

  /** A producer's transaction that takes longer loses its stored payloads. */
  private static final Duration STORED_WITHOUT_MESSAGE = Duration.ofDays(1);

  /** Pauses between batches, so that producers and handlers take priority. */
  private static final Duration BETWEEN_BATCHES = Duration.ofMillis(50);

  private static final Duration SECOND_POLL = Duration.ofMillis(500);

  private final WorkerConfig config;
  private final Reaper reaper;
  private final PeerPoller peers;
  private final Archive archive;
  private final ProgressStore progress;
  private final DeduplicationKeys keys;
  private final GroupSweep orderingGroups;
  private final ResultPruning results;
  private final Batches batches;
  private final BodySweep bodies;
  private final Statistics statistics;
  private final JooqAudit audit;
  private final StoredBodySweep stored;
  private final WorkerThreads threads;
  private final Signal claimer;
  private final LeaseState leaseState;
  private final WorkerLease lease;
  private final WorkerPools pools;
  private final WorkerObserver observer;
  private long storesNanos;
  private long orphansNanos = System.nanoTime();

  @Inject
  Maintenance(
      WorkerConfig config,
      Reaper reaper,
      PeerPoller peers,
      Archive archive,
      ProgressStore progress,
      DeduplicationKeys keys,
      GroupSweep orderingGroups,
      ResultPruning results,
      Batches batches,
      BodySweep bodies,
      Statistics statistics,
      JooqAudit audit,
      StoredBodySweep stored,
      WorkerThreads threads,
      Signal claimer,
      LeaseState leaseState,
      WorkerLease lease,
      WorkerPools pools,
      WorkerObserver observer) {
    this.config = config;
    this.reaper = reaper;
    this.peers = peers;
    this.archive = archive;
    this.progress = progress;
    this.keys = keys;
    this.orderingGroups = orderingGroups;
    this.results = results;
    this.batches = batches;
    this.bodies = bodies;
    this.statistics = statistics;
    this.audit = audit;
    this.stored = stored;
    this.threads = threads;
    this.claimer = claimer;
    this.leaseState = leaseState;
    this.lease = lease;
    this.pools = pools;
    this.observer = observer;
  }

  public void start() {
    threads.repeat("reap", "reaping", () -> true, this::turn);
    threads.loop("prune", PRUNE_EVERY, this::prune);
  }

  private void prune() {
    threads.guarded("repairing ordering keys", this::repairGroups);
    threads.guarded("pruning ordering keys", () -> orderingGroups.prune(BATCH));
    threads.guarded("pruning deduplication keys", this::pruneKeys);
    threads.guarded("maintaining the archive's partitions", archive::maintainPartitions);
    threads.guarded("pruning the archive", () -> pruneEach(this::pruneArchive));
    threads.guarded("pruning progress", () -> pruneEach(progress::prune));
    threads.guarded("pruning results", () -> pruneEach(results::prune));
    threads.guarded("pruning batches", () -> pruneEach(batches::prune));
    threads.guarded("pruning statistics", () -> pruneEach(statistics::prune));
    threads.guarded("pruning the audit table", () -> pruneEach(audit::prune));
    threads.guarded("sweeping payloads", this::sweepBodies);
    if (stored.isOfUse()) {
      threads.guarded("sweeping stored payloads", () -> stored.sweepRows(BATCH));
      threads.guarded("sweeping payload stores", this::sweepStores);
    }
  }

  private void pruneEach(IntUnaryOperator prune) {
    // Fewer than a batch may mean that some were refused.
    while (!threads.isStopped() && prune.applyAsInt(BATCH) > 0) {
      threads.pause(BETWEEN_BATCHES);
    }
  }

  private void sweepBodies() {
    int swept = bodies.sweepAll(BATCH);
    if (swept > 0) {
      LOG.info(
          "separately stored payloads of {} gone were deleted",
          Humanize.count(swept, "message that is", "messages that are"));
    }
  }

  /** Only once an hour, since it lists the entire payload store. */
  private void sweepStores() {
    if (storesNanos != 0 && System.nanoTime() - storesNanos < SWEEP_STORES_EVERY.toNanos()) {
      return;
    }
    storesNanos = System.nanoTime();
    int swept = stored.sweepStores(STORED_WITHOUT_MESSAGE);
    if (swept > 0) {
      LOG.info(
          "{} deleted",
          Humanize.count(
              swept,
              "stored payload without a message was",
              "stored payloads without a message were"));
    }
  }

  private void repairGroups() {
    int swept;
    do {
      swept = orderingGroups.sweep(BATCH);
      if (swept > 0) {
        LOG.warn(
            "{}",
            Humanize.count(
                swept, "stalled ordering key was resumed", "stalled ordering keys were resumed"));
      }
    } while (swept >= BATCH && !threads.isStopped());
  }

  private void pruneKeys() {
    int pruned = keys.prune(BATCH);
    if (pruned > 0) {
      // Expired deduplication windows are routine, so they are not logged at INFO.
      LOG.debug(
          "{} deleted",
          Humanize.count(pruned, "unused deduplication key was", "unused deduplication keys were"));
    }
  }

  private int pruneArchive(int batch) {
    int pruned = archive.prune(batch);
    if (pruned > 0) {
      LOG.debug(
          "{} deleted",
          Humanize.count(
              pruned,
              "archived message past its topic's retention was",
              "archived messages past their topics' retention were"));
    }
    return pruned;
  }

  private void turn() throws InterruptedException {
    if (peers.await() || hasOrphans()) {
      if (leaseState.mayReap()) {
        threads.step("declaring workers without a lock dead", this::judgeByLock);
        threads.step("declaring workers without a lease dead", this::judgeByLease);
      }
      threads.step("reaping claims", this::reap);
      threads.step("removing dead workers", reaper::removeDead);
    }
  }

  /** Low-priority work runs once per lease. */
  private boolean hasOrphans() {
    if (System.nanoTime() - orphansNanos < config.leaseDuration().toNanos()) {
      return false;
    }
    orphansNanos = System.nanoTime();
    return reaper.hasOrphans();
  }

  /**
   * A lock that is free on two checks belongs to a dead worker; a live worker whose connection
   * broke has reacquired it by then.
   */
  private int judgeByLock() {
    Set<Reaper.Unlocked> first = reaper.unlocked();
    if (first.isEmpty()) {
      return 0;
    }
    threads.pause(SECOND_POLL);
    if (threads.isStopped() || !leaseState.mayReap() || !admitsNewMessages()) {
      // The pause was interrupted or too long, or reconnecting was impossible, so a second check
      // proves nothing.
      return 0;
    }
    Set<Reaper.Unlocked> both = new HashSet<>(first);
    both.retainAll(reaper.unlocked());
    threads.each("declaring workers dead", both, this::declareDead);
    return both.size();
  }

  private void declareDead(Reaper.Unlocked worker) {
    if (reaper.declareDead(worker)) {
      observer.declaredDead(1);
      LOG.warn(
          "worker {} was declared dead and its messages are reaped: its process or its"
              + " connection is gone",
          worker.lockId());
    }
  }

  /**
   * A server that shuts down rejects new connections and closes idle ones, including those of the
   * liveness locks, but serves the others for a while. Where a pool may return an open connection,
   * this worker's own lock shows it: its connection is idle, too.
   */
  private boolean admitsNewMessages() {
    if (!pools.opensConnections()) {
      return lease.holdsLock();
    }
    try {
      pools.connect().close();
      return true;
    } catch (SQLException e) {
      LOG.debug(
          "liveness locks are not checked, since no new connection can be opened: {}",
          e.getMessage());
      return false;
    }
  }

  /** The next poll would see the lease's end up to a second late, so this one waits for it. */
  private int judgeByLease() {
    Optional<Duration> end = reaper.nextLeaseEnd(peers.pollInterval());
    if (end.isEmpty()) {
      return 0;
    }
    threads.pause(end.get().plusMillis(1));
    if (!leaseState.mayReap()) {
      return 0;
    }
    int dead = reaper.declareDead();
    if (dead > 0) {
      observer.declaredDead(dead);
      LOG.warn(
          "{} expired",
          Humanize.count(
              dead,
              "worker was declared dead and its messages are reaped: its lease",
              "workers were declared dead and their messages are reaped: their leases"));
    }
    return dead;
  }

  private int reap() {
    int total = 0;
    Reaper.Reaped reaped;
    do {
      reaped = reaper.reap(BATCH, config.maxLostClaims());
      total += reaped.total();
      if (reaped.total() > 0) {
        observer.reaped(reaped.released(), reaped.quarantined());
        log(reaped);
        claimer.raise();
      }
    } while (reaped.total() == BATCH && !threads.isStopped());
    return total;
  }

  private static void log(Reaper.Reaped reaped) {
    if (reaped.released() > 0) {
      LOG.warn(
          "{} available again",
          Humanize.count(
              reaped.released(), "message of a dead worker is", "messages of dead workers are"));
    }
    if (reaped.quarantined() > 0) {
      LOG.error(
          "{} too often with their workers and quarantined; redrive them once the cause"
              + " is fixed",
          Humanize.count(reaped.quarantined(), "message was lost", "messages were lost"));
    }
  }
}
