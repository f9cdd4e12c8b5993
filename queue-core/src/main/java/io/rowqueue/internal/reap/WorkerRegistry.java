package io.rowqueue.internal.reap;

import io.rowqueue.internal.claim.LockId;
import java.time.Duration;

/**
 * The rows that say which workers live. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface WorkerRegistry {

  /** Begins a life, with a lease that runs out {@code lease} from now unless it is renewed. */
  void register(WorkerRegistration life, Duration lease);

  /**
   * Extends a lease to {@code lease} from now, and says where the worker is found now.
   *
   * @return false if the worker was declared dead: it stops, gives its claims up and comes back
   *     under a new lock_id
   */
  boolean renew(LockId lockId, Duration lease, WorkerAddress address);

  /** Ends a life in good order. Claims that it left behind are reaped by others. */
  void deregister(LockId lockId);
}
