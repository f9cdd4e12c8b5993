package io.rowqueue.internal.reap;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
   * Extends a lease to {@code lease} from now, and stores the worker's current address and load.
   *
   * @return false if the worker was declared dead: it stops, gives up its claims and registers
   *     again under a new lock_id
   */
  boolean renew(LockId lockId, Duration lease, WorkerAddress address, @Nullable WorkerLoad load);

  /** Removes a worker that stops regularly. Claims that it left behind are reaped by others. */
  void deregister(LockId lockId);

  /**
   * How peers and wake-up notifications reach a worker.
   *
   * @param server where its lock is held; null if it has none, so that only its lease shows that it
   *     is alive
   * @param listener the id, on that server, of the connection on which it waits for notifications;
   *     null if it does not wait for any
   */
  public record WorkerAddress(@Nullable ServerIncarnation server, @Nullable Long listener) {

    /** The worker has neither a lock nor a listener; only its lease shows that it is alive. */
    public static final WorkerAddress NONE = new WorkerAddress(null, null);
  }

  /**
   * What a worker did at a renewal, for operators.
   *
   * @param threads its handler threads
   * @param busyThreads those that ran a handler
   * @param handled attempts that ended since its start, including failed ones
   * @param handledPerSecond the same a second, to one decimal, over ten seconds or a little more;
   *     null if it has not run for so long
   * @param memoryUsed bytes of its heap in use, with garbage
   * @param memoryMax the limit of its heap in bytes
   */
  public record WorkerLoad(
      int threads,
      int busyThreads,
      long handled,
      @Nullable Double handledPerSecond,
      long memoryUsed,
      long memoryMax) {}

  /** One run of a worker, as its row shows it to operators and peers. */
  public record WorkerRegistration(
      LockId lockId,
      String host,
      long pid,
      String version,
      Set<Topic> topics,
      WorkerAddress address) {

    public WorkerRegistration {
      topics = Set.copyOf(topics);
    }
  }
}
