package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this worker may still rely on its lease. The lease reports every renewal; other
 * components ask before they act. Uses the local clock, which can only make the worker act less.
 * Thread-safe.
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
   * Records a renewal or a registration.
   *
   * @param requestedNanos {@link System#nanoTime} before the request, so never later than the time
   *     that the server used
   */
  public void renewed(LockId lockId, long requestedNanos) {
    Renewal before = last;
    long judgesFrom = before == null ? requestedNanos : before.judgesFromNanos;
    if (before != null && requestedNanos - before.requestedNanos >= gapNanos) {
      judgesFrom = requestedNanos + leaseNanos;
    }
    last = new Renewal(lockId, requestedNanos, judgesFrom);
  }

  /** Records that this worker was declared dead, or has deregistered. */
  public void expired() {
    Renewal before = last;
    if (before != null) {
      last = new Renewal(null, before.requestedNanos, before.judgesFromNanos);
    }
  }

  /** Returns this worker's lock id; null while its lease may have expired. */
  public @Nullable LockId holder() {
    Renewal now = last;
    // A tenth shorter than the lease, since clocks run at different speeds.
    return now != null && age(now) < leaseNanos - leaseNanos / 10 ? now.lockId : null;
  }

  /** Returns the time until the lease may have expired; zero if it may have. */
  public Duration margin() {
    Renewal now = last;
    return now == null || now.lockId == null
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, leaseNanos - leaseNanos / 10 - age(now)));
  }

  /** Returns whether claims of {@code lockId} are still this worker's, as far as it knows. */
  public boolean covers(LockId lockId) {
    return lockId.equals(holder());
  }

  /**
   * Returns whether this worker may declare peers dead. A worker that was disconnected for the
   * length of a lease cannot distinguish dead peers from peers that were disconnected like itself,
   * so it gives them one lease to renew.
   */
  public boolean mayReap() {
    Renewal now = last;
    return now != null && age(now) < gapNanos && clock.getAsLong() - now.judgesFromNanos >= 0;
  }

  private long age(Renewal renewal) {
    return clock.getAsLong() - renewal.requestedNanos;
  }

  /**
   * The last contact with the database.
   *
   * @param judgesFromNanos the time from which it may declare peers dead
   */
  private record Renewal(@Nullable LockId lockId, long requestedNanos, long judgesFromNanos) {}
}
