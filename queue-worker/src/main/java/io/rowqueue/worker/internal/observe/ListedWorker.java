package io.rowqueue.worker.internal.observe;

import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A worker not declared dead, with the details of the workers list.
 *
 * @param status its status
 * @param startedAt when it registered its lock_id
 * @param draining whether an operator requested a drain
 * @param paused whether an operator paused it
 * @param load what it did at its last renewal; null if it has not renewed yet
 */
public record ListedWorker(
    WorkerStatus status,
    Instant startedAt,
    boolean draining,
    boolean paused,
    @Nullable WorkerLoad load) {

  /** Whether its lease is valid. */
  public boolean isAlive() {
    return !status.leaseLeft().isNegative();
  }

  /** Whether it is alive and claims messages: neither paused nor draining. */
  public boolean isClaiming() {
    return isAlive() && !draining && !paused;
  }
}
