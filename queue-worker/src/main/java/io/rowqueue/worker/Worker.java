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
   *     or the bindings are wrong; the worker is closed then, and holds nothing
   * @throws IllegalStateException if it was started before
   */
  void start();

  /**
   * What happens when an operator asks this worker to drain ({@code workers drain}); by default it
   * drains for as long as its configuration says and closes. Call it before {@link #start()}.
   *
   * @param action runs once, on a thread of its own
   */
  void onDrainRequested(Runnable action);

  /**
   * Handles what is available now, instead of {@link #start()}, and closes the worker: for cron
   * jobs, scripts and tests. Promotes what is due, claims and handles until nothing of its topics
   * is available and no handler runs. What a handler enqueues meanwhile is handled too; what a
   * failure schedules for later is not waited for. Returns when everything is settled.
   *
   * @return how many handlings there were, failed ones included
   * @throws io.rowqueue.QueueException as {@link #start()} does
   * @throws IllegalStateException if it was started before
   */
  int runOnce();

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
