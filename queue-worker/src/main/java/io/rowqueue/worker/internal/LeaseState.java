package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far this worker may rely on what it knows of the database. Its lease tells it of every
 * renewal; whoever begins something asks. All of it goes by the local clock, which may only ever
 * keep the worker from doing something. Thread-safe.
 */
@Singleton
public final class LeaseState {

  private final long leaseNanos;
  private final long gapNanos;
  private final LongSupplier clock;
  private volatile @Nullable Renewal last;

  @Inject
  LeaseState(WorkerConfig config) {
    this(config.leaseDuration(), config.leaseRenewInterval(), System::nanoTime);
  }

  LeaseState(Duration lease, Duration leaseRenewInterval, LongSupplier clock) {
    this.leaseNanos = lease.toNanos();
    this.gapNanos = lease.minus(leaseRenewInterval).toNanos();
    this.clock = clock;
  }

  /**
   * The lease was renewed, or a life begun.
   *
   * @param requestedNanos {@link System#nanoTime} before the request: never later than what the
   *     server took for now
   */
  public void renewed(LockId lockId, long requestedNanos) {
    Renewal before = last;
    long judgesFrom = before == null ? requestedNanos : before.judgesFromNanos;
    if (before != null && requestedNanos - before.requestedNanos >= gapNanos) {
      judgesFrom = requestedNanos + leaseNanos;
    }
    last = new Renewal(lockId, requestedNanos, judgesFrom);
  }

  /** This worker was declared dead, or has deregistered. */
  public void expired() {
    Renewal before = last;
    if (before != null) {
      last = new Renewal(null, before.requestedNanos, before.judgesFromNanos);
    }
  }

  /** Who this worker is in the database; null while its lease is in doubt. */
  public @Nullable LockId holder() {
    Renewal now = last;
    // A tenth less than the lease, as clocks run at different speeds.
    return now != null && age(now) < leaseNanos - leaseNanos / 10 ? now.lockId : null;
  }

  /** How long it is until the lease would be in doubt; zero if it is. */
  public Duration margin() {
    Renewal now = last;
    return now == null || now.lockId == null
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, leaseNanos - leaseNanos / 10 - age(now)));
  }

  /** Whether claims of {@code lockId} are this worker's still, as far as it can tell. */
  public boolean covers(LockId lockId) {
    return lockId.equals(holder());
  }

  /**
   * Whether it may declare peers dead. Who was cut off for so long that a peer's lease may have run
   * out meanwhile cannot tell the dead from those that were cut off like itself, and lets them come
   * back for the length of a lease.
   */
  public boolean mayReap() {
    Renewal now = last;
    return now != null && age(now) < gapNanos && clock.getAsLong() - now.judgesFromNanos >= 0;
  }

  private long age(Renewal renewal) {
    return clock.getAsLong() - renewal.requestedNanos;
  }

  /**
   * The last time that the database knew this worker.
   *
   * @param judgesFromNanos from when on it may declare peers dead
   */
  private record Renewal(@Nullable LockId lockId, long requestedNanos, long judgesFromNanos) {}
}
