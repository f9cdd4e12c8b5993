package io.rowqueue.worker.lease;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.claim.LockId;
import io.rowqueue.reap.ServerMark;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerPools;
import io.rowqueue.worker.WorkerThreads;
import io.rowqueue.worker.WorkerTopics;
import io.rowqueue.worker.dispatch.Dispatcher;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
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
  private static final Duration LOCK_LOOK = Duration.ofMillis(150);

  private final WorkerConfig config;
  private final WorkerPools pools;
  private final WorkerRegistry registry;
  private final WorkerTopics topics;
  private final Dispatcher dispatcher;
  private final WorkerThreads threads;
  private volatile @Nullable Held held;
  private volatile @Nullable Listening listening;

  @Inject
  WorkerLease(
      WorkerConfig config,
      WorkerPools pools,
      WorkerRegistry registry,
      WorkerTopics topics,
      Dispatcher dispatcher,
      WorkerThreads threads) {
    this.config = config;
    this.pools = pools;
    this.registry = registry;
    this.topics = topics;
    this.dispatcher = dispatcher;
    this.threads = threads;
  }

  /** Begins a life and keeps renewing it. */
  public void start() {
    begin();
    threads.loop("lease", config.renewEvery(), this::renew);
    threads.loop("lock", LOCK_LOOK, this::keepLock);
  }

  /** The lock_id to claim under; null while the lease cannot be trusted. */
  public @Nullable LockId trusted() {
    Held now = held;
    return now != null && System.nanoTime() - now.untilNanos < 0 ? now.lockId : null;
  }

  /** Ends the life in good order, if there is one. */
  public synchronized void end() {
    Held last = held;
    held = null;
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
    LockId lockId = LockId.create(host(), ProcessHandle.current().pid());
    LivenessLock lock = new LivenessLock(pools, lockId);
    ServerMark server = lock.take();
    long asked = System.nanoTime();
    WorkerLife life =
        new WorkerLife(
            lockId,
            host(),
            ProcessHandle.current().pid(),
            version(),
            topics.all(),
            address(server));
    boolean registered = false;
    try {
      registry.register(life, config.lease());
      registered = true;
    } finally {
      if (!registered) {
        lock.close();
      }
    }
    held = new Held(lockId, asked + trustNanos(), lock, server);
    LOG.info("worker {} lives, and claims {}", lockId, life.topics());
  }

  /**
   * Says where this worker waits for rings, and returns when producers can know.
   *
   * @param connection its id
   * @param server where that connection leads
   */
  public synchronized void listens(long connection, ServerMark server) {
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
  private WorkerAddress address(@Nullable ServerMark server) {
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

  private void renew(Held now, @Nullable ServerMark server) {
    long asked = System.nanoTime();
    if (registry.renew(now.lockId, config.lease(), address(server))) {
      held = new Held(now.lockId, asked + trustNanos(), now.lock, server);
      return;
    }
    held = null;
    now.lock.close();
    dispatcher.giveUpWaiting();
    LOG.warn(
        "worker {} was declared dead (its lease ran out, or its lock was free); it gives up its"
            + " claims and comes back under a new lock_id",
        now.lockId);
    begin();
  }

  /**
   * A lock whose connection broke is taken again before a peer has looked twice. It waits for no
   * renewal, which may be waiting for a server to come back.
   */
  private void keepLock() {
    Held now = held;
    if (now == null || threads.isStopped() || now.lock.held()) {
      return;
    }
    ServerMark server = now.lock.take();
    if (server != null) {
      LOG.info("worker {} took its lock again after its connection had broken", now.lockId);
    }
    if (server != null || now.server != null) {
      tell(now, server);
    }
  }

  /**
   * Puts into the row where the lock is now. The lease moves with it, so that a peer which finds
   * the lock free on both of its looks, since it broke twice, sees that it was taken in between.
   */
  private synchronized void tell(Held from, @Nullable ServerMark server) {
    Held now = held;
    if (now != null && now.lock == from.lock) {
      renew(now, server);
    }
  }

  /** A tenth less than the lease, counted from before the request: never later than the server. */
  private long trustNanos() {
    Duration lease = config.lease();
    return lease.toNanos() - lease.toNanos() / 10;
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      LOG.debug("this host has no name: {}", e.getMessage());
      return "unknown";
    }
  }

  private static String version() {
    String version = WorkerLease.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private record Listening(long connection, String serverIdentity) {}

  private record Held(
      LockId lockId, long untilNanos, LivenessLock lock, @Nullable ServerMark server) {}
}
