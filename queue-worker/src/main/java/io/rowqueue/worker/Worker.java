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
   * @throws io.rowqueue.QueueException if the database cannot be reached, its schema does not
   *     match, or the bindings are wrong; the worker is then closed and holds no resources
   * @throws IllegalStateException if it was started before
   */
  void start();

  /**
   * Sets the action for an operator's drain request ({@code workers drain}); by default the worker
   * drains for the configured timeout and closes. Call it before {@link #start()}.
   *
   * @param action runs once, on a thread of its own
   */
  void onDrainRequested(Runnable action);

  /**
   * Processes the available messages, instead of {@link #start()}, and closes the worker: for cron
   * jobs, scripts and tests. Promotes due messages, claims and processes until no message of its
   * topics is available and no handler runs. Messages enqueued by handlers are processed too;
   * messages that a failure schedules for later are not awaited. Returns when every claim is
   * settled.
   *
   * @return the number of attempts, including failed ones
   * @throws io.rowqueue.QueueException as {@link #start()} does
   * @throws IllegalStateException if it was started before
   */
  int runOnce();

  /**
   * Stops claiming, waits up to {@code longest} for running handlers, interrupts the others, and
   * releases claims that have not started, without counting an attempt. Idempotent.
   *
   * @return whether every running handler finished by itself
   */
  boolean drain(Duration longest);

  /** Drains without waiting and releases every thread and connection. Idempotent. */
  @Override
  void close();
}
