package io.rowqueue.internal.reap;

import io.rowqueue.internal.claim.LockId;
import java.time.Duration;

/**
 * The rows of the live workers. Thread-safe. Every method throws {@link io.rowqueue.QueueException}
 * if the database still fails after all retries.
 */
public interface WorkerRegistry {

  /**
   * Inserts a worker's row, with a lease that expires {@code lease} from now unless it is renewed.
   */
  void register(WorkerRegistration life, Duration lease);

  /**
   * Extends a lease to {@code lease} from now, and stores the worker's current address.
   *
   * @return false if the worker was declared dead: it stops, gives up its claims and registers
   *     again under a new lock_id
   */
  boolean renew(LockId lockId, Duration lease, WorkerAddress address);

  /** Removes a worker that stops regularly. Claims that it left behind are reaped by others. */
  void deregister(LockId lockId);
}
