package io.rowqueue.internal.reap;

import org.jspecify.annotations.Nullable;

/**
 * Where peers and rings find a worker.
 *
 * @param server where its lock is held; null if it has none, and only its lease tells of its life
 * @param listener the id, on that server, of the connection on which it waits for rings; null if it
 *     waits for none
 */
public record WorkerAddress(@Nullable ServerIncarnation server, @Nullable Long listener) {

  /** Nobody finds it, but by its lease. */
  public static final WorkerAddress NONE = new WorkerAddress(null, null);
}
