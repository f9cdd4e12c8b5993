package io.rowqueue.worker;

/**
 * What stands beside a worker and follows its life. Its methods are called in their order, each
 * once at most, and not for a single run. Thread-safe.
 */
public interface WorkerService {

  /**
   * The worker is about to start.
   *
   * @throws io.rowqueue.QueueException if it cannot do without what failed; nothing starts then
   */
  default void begin() {}

  /** The worker claims. */
  default void running() {}

  /** It claims no more. */
  default void draining() {}

  /** It has ended. Must not fail. */
  default void end() {}
}
