package io.rowqueue.worker.internal.lease;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This worker's identity and the validity of its lease. The database decides; the local clock only
 * makes the worker stop earlier. Thread-safe.
 */
@Singleton
public final class WorkerLease {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerLease.class);

  /** Peers check twice, half a second apart. */
  private static final Duration LOCK_CHECK_INTERVAL = Duration.ofMillis(150);

  private final WorkerConfig config;
  private final WorkerPools pools;
  private final WorkerRegistry registry;
  private final WorkerTopics topics;
  private final Dispatcher dispatcher;
  private final WorkerThreads threads;
  private final LeaseState leaseState;
  private final LoadMeter load;
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
    this.load =
        new LoadMeter(dispatcher::threads, dispatcher::busy, dispatcher::handled, System::nanoTime);
  }

  public void start() {
    begin();
    threads.loop("lease", config.leaseRenewInterval(), this::renew);
    threads.loop("lock", LOCK_CHECK_INTERVAL, this::keepLock);
  }

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

  /** Lock, then row, then claims: a peer that sees the row finds the lock taken. */
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
   * Publishes the connection on which this worker waits for notifications; returns when producers
   * can see it.
   *
   * @param connection its id
   * @param server its server
   */
  public synchronized void listens(long connection, ServerIncarnation server) {
    listening = new Listening(connection, server.identity());
    Held now = held;
    if (now != null && !threads.isStopped()) {
      renew(now, now.server);
    }
  }

  /** Records that the worker no longer waits; producers learn it from the next renewal. */
  public void listensNoMore() {
    listening = null;
  }

  /** Producers notify on the server in the row, and the connection id is valid only there. */
  private WorkerAddress address(@Nullable ServerIncarnation server) {
    Listening now = listening;
    if (server == null || now == null || !now.serverIdentity.equals(server.identity())) {
      return new WorkerAddress(server, null);
    }
    return new WorkerAddress(server, now.connection);
  }

  /** Whether the connection of this worker's lock is open. */
  public boolean holdsLock() {
    Held now = held;
    return now != null && now.server != null && now.lock.held();
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
    if (registry.renew(now.lockId, config.leaseDuration(), address(server), load.read())) {
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

  /** A lock whose connection broke is reacquired, usually before a peer checks twice. */
  private void keepLock() {
    Held now = held;
    if (now == null || threads.isStopped() || now.lock.held()) {
      return;
    }
    if (now.server != null) {
      // The lock is reacquired whether or not a thread can be started.
      threads.guarded(
          "reporting the lost lock",
          () ->
              WorkerThreads.startOnce(
                  sayingSo, () -> threads.start("unlocked", () -> logBroken(now))));
    }
    ServerIncarnation server = now.lock.take();
    if (server != null) {
      LOG.info("worker {} holds its liveness lock on a new connection", now.lockId);
      taken(now, server);
    }
  }

  /**
   * If no new connection can be opened, an existing one may still tell peers to use the lease
   * instead. Runs in parallel to reacquiring the lock, since both may block for long.
   */
  private void logBroken(Held broken) {
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
   * Records the lock's server. Extends the lease in the same statement: a peer that finds the lock
   * free twice, because it broke twice, sees from the lease that it was reacquired in between.
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
   * A registration.
   *
   * @param server the lock's server, as in the row; null if it has no lock
   * @param taken how often the lock was reacquired
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

  /** This host's name in lock ids and messages. */
  public static final class HostName {

    /** Linux provides it here even if name resolution fails. */
    private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /** Returns the name; {@code unknown} if there is none. */
    public static String find() {
      return find(KERNEL);
    }

    static String find(Path kernel) {
      try {
        String name = Files.readString(kernel).strip();
        return name.isEmpty() ? resolved() : name;
      } catch (IOException e) {
        return resolved();
      }
    }

    /** Fails if neither the hosts file nor DNS has the name. */
    private static String resolved() {
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        return "unknown";
      }
    }
  }
}
