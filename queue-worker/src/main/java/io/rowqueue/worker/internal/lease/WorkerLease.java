package io.rowqueue.worker.internal.lease;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.internal.reap.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistration;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who this worker is, and until when it may trust that it is. The database decides; the local clock
 * only makes the worker give up earlier. Thread-safe.
 */
@Singleton
public final class WorkerLease {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerLease.class);

  /** Peers look twice, half a second apart. */
  private static final Duration LOCK_POLL = Duration.ofMillis(150);

  private final WorkerConfig config;
  private final WorkerPools pools;
  private final WorkerRegistry registry;
  private final WorkerTopics topics;
  private final Dispatcher dispatcher;
  private final WorkerThreads threads;
  private final LeaseState leaseState;
  private final AtomicBoolean sayingSo = new AtomicBoolean();
  private volatile @Nullable Held held;
  private volatile @Nullable Listening listening;

  @Inject
  WorkerLease(
      WorkerConfig config,
      WorkerPools pools,
      WorkerRegistry registry,
      WorkerTopics topics,
      Dispatcher dispatcher,
      WorkerThreads threads,
      LeaseState leaseState) {
    this.config = config;
    this.pools = pools;
    this.registry = registry;
    this.topics = topics;
    this.dispatcher = dispatcher;
    this.threads = threads;
    this.leaseState = leaseState;
  }

  /** Begins a life and keeps renewing it. */
  public void start() {
    begin();
    threads.loop("lease", config.leaseRenewInterval(), this::renew);
    threads.loop("lock", LOCK_POLL, this::keepLock);
  }

  /** Ends the life in good order, if there is one. */
  public synchronized void end() {
    Held last = held;
    held = null;
    leaseState.expired();
    if (last == null) {
      return;
    }
    try {
      registry.deregister(last.lockId);
    } finally {
      last.lock.close();
    }
  }

  /** Lock, then row, then claims: whoever sees the row finds the lock taken. */
  private synchronized void begin() {
    LockId lockId = LockId.create(HostName.find(), ProcessHandle.current().pid());
    LivenessLock lock = new LivenessLock(pools, lockId);
    ServerIncarnation server = lock.take();
    long requested = System.nanoTime();
    WorkerRegistration life =
        new WorkerRegistration(
            lockId,
            HostName.find(),
            ProcessHandle.current().pid(),
            version(),
            topics.all(),
            address(server));
    boolean registered = false;
    try {
      registry.register(life, config.leaseDuration());
      registered = true;
    } finally {
      if (!registered) {
        lock.close();
      }
    }
    held = new Held(lockId, lock, server, 0);
    leaseState.renewed(lockId, requested);
    LOG.info("worker {} started, topics {}", lockId, life.topics());
  }

  /**
   * Says where this worker waits for rings, and returns when producers can know.
   *
   * @param connection its id
   * @param server where that connection leads
   */
  public synchronized void listens(long connection, ServerIncarnation server) {
    listening = new Listening(connection, server.identity());
    Held now = held;
    if (now != null && !threads.isStopped()) {
      renew(now, now.server);
    }
  }

  /** It waits for rings no more; producers notice by themselves, and know from the next renewal. */
  public void listensNoMore() {
    listening = null;
  }

  /** A ring is sent on the server that the row names, and no other knows the connection. */
  private WorkerAddress address(@Nullable ServerIncarnation server) {
    Listening now = listening;
    if (server == null || now == null || !now.serverIdentity.equals(server.identity())) {
      return new WorkerAddress(server, null);
    }
    return new WorkerAddress(server, now.connection);
  }

  private synchronized void renew() {
    Held now = held;
    if (threads.isStopped()) {
      return;
    }
    if (now == null) {
      begin();
      return;
    }
    renew(now, now.server);
  }

  private void renew(Held now, @Nullable ServerIncarnation server) {
    long requested = System.nanoTime();
    if (registry.renew(now.lockId, config.leaseDuration(), address(server))) {
      held = new Held(now.lockId, now.lock, server, now.taken);
      leaseState.renewed(now.lockId, requested);
      return;
    }
    held = null;
    leaseState.expired();
    now.lock.close();
    dispatcher.giveUpWaiting();
    LOG.warn(
        "worker {} was declared dead (its lease expired, or its lock was free); it abandons its"
            + " claims and registers again with a new lock_id",
        now.lockId);
    begin();
  }

  /** A lock whose connection broke is taken again, if all goes well before a peer looks twice. */
  private void keepLock() {
    Held now = held;
    if (now == null || threads.isStopped() || now.lock.held()) {
      return;
    }
    if (now.server != null && sayingSo.compareAndSet(false, true)) {
      threads.start("unlocked", () -> sayThatItBroke(now));
    }
    ServerIncarnation server = now.lock.take();
    if (server != null) {
      LOG.info("worker {} reacquired its lock after its connection broke", now.lockId);
      taken(now, server);
    }
  }

  /**
   * Where no new connection comes, an old one may still tell the peers to go by the lease. Beside
   * the attempt to take the lock: each of the two may wait for long.
   */
  private void sayThatItBroke(Held broken) {
    try {
      threads.guarded("releasing the lock", () -> broke(broken));
    } finally {
      sayingSo.set(false);
    }
  }

  private synchronized void broke(Held broken) {
    Held now = held;
    if (now != null && now.isSameLockAs(broken) && !threads.isStopped()) {
      renew(now, null);
    }
  }

  /**
   * Puts into the row where the lock is now. The lease moves with it, so that a peer which finds
   * the lock free on both of its looks, since it broke twice, sees that it was taken in between.
   */
  private synchronized void taken(Held before, ServerIncarnation server) {
    Held now = held;
    if (now != null && now.lock == before.lock) {
      renew(now.takenAgain(), server);
    }
  }

  private static String version() {
    String version = WorkerLease.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private record Listening(long connection, String serverIdentity) {}

  /**
   * A life.
   *
   * @param server where its lock is, as the row says; null if it has none
   * @param taken how often the lock was taken again
   */
  private record Held(
      LockId lockId, LivenessLock lock, @Nullable ServerIncarnation server, int taken) {

    boolean isSameLockAs(Held other) {
      return lock == other.lock && taken == other.taken;
    }

    Held takenAgain() {
      return new Held(lockId, lock, server, taken + 1);
    }
  }
}
