package io.rowqueue.worker;

import java.time.Duration;

/**
 * One worker: claims messages of its topics and has its handlers handle them, on threads of its
 * own. Made by Guice from {@link WorkerModule} and the team's handler modules. Thread-safe.
 *
 * <pre>{@code
 * Worker worker = Guice.createInjector(new WorkerModule(config), new ShopModule()).getInstance(Worker.class);
 * worker.start();
 * ...
 * worker.drain(Duration.ofSeconds(30));
 * worker.close();
 * }</pre>
 */
public interface Worker extends AutoCloseable {

  /**
   * Checks the database and the bindings, then begins to claim. Returns once the worker is
   * registered.
   *
   * @throws io.rowqueue.QueueException if the database cannot be reached, its schema does not fit,
   *     or the bindings are wrong; the worker can be started again
   * @throws IllegalStateException if it was started before
   */
  void start();

  /**
   * Stops claiming, waits up to {@code longest} for running handlers, interrupts those that are
   * left, and releases whatever was claimed and not started, without counting an attempt.
   * Idempotent.
   *
   * @return whether every running handler finished by itself
   */
  boolean drain(Duration longest);

  /** Drains without waiting and frees every thread and connection. Idempotent. */
  @Override
  void close();
}
