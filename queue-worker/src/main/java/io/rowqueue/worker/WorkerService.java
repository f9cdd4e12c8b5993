package io.rowqueue.worker;

/**
 * A service with the lifecycle of a worker. Its methods are called in order, each at most once, and
 * not for {@link Worker#runOnce}. Thread-safe.
 */
public interface WorkerService {

  /**
   * Called before the worker starts.
   *
   * @throws io.rowqueue.QueueException if the service is essential and failed; the worker does not
   *     start then
   */
  default void begin() {}

  /** Called when all else has started, before the first claim. */
  default void running() {}

  /** Called when the worker has stopped claiming. */
  default void draining() {}

  /** Called when the worker has ended. Must not fail. */
  default void end() {}
}
