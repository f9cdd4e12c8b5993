package io.rowqueue.internal.reap;

import org.jspecify.annotations.Nullable;

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
