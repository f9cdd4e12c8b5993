package io.rowqueue.worker;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * One worker: claims messages of its topics and has its handlers handle them, on threads of its
 * own. Made by {@link #builder}, or by Guice from {@link WorkerModule} and handler modules.
 * Thread-safe.
 *
 * <pre>{@code
 * Worker worker =
 *     Worker.builder(dataSource)
 *         .handle("email.send", Email.class, (email, context) -> mailer.send(email))
 *         .start();
 * ...
 * worker.drain(Duration.ofSeconds(30));
 * worker.close();
 * }</pre>
 */
public interface Worker extends AutoCloseable {

  /**
   * Returns a builder of a worker that borrows its connections from {@code dataSource}, over
   * MySQL's or MariaDB's driver. A pool needs four connections more than the worker has threads, in
   * addition to those of the application; that is checked at the start. See {@link
   * DatabaseConfig#of}.
   */
  static WorkerBuilder builder(DataSource dataSource) {
    return builder(DatabaseConfig.of(dataSource));
  }

  /** Returns a builder of a worker that opens pools of its own, if {@code database} has a URL. */
  static WorkerBuilder builder(DatabaseConfig database) {
    return new WorkerBuilder(database);
  }

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
   * settled. A drain, also one that was requested before, or an interrupt of the caller ends it
   * early, as a drain for the configured timeout.
   *
   * @return the number of attempts, including failed ones
   * @throws io.rowqueue.QueueException as {@link #start()} does; or if the database has refused
   *     something, after everything else was processed
   * @throws IllegalStateException if it was started before
   */
  int runOnce();

  /**
   * Returns the current state. While the worker runs, this queries the database at most once a
   * second, and may wait for it.
   */
  WorkerHealth health();

  /**
   * Stops claiming, waits up to {@code longest} for running handlers, interrupts the others, and
   * releases claims that have not started, without counting an attempt. Idempotent.
   *
   * @return whether every running handler finished by itself; one that calls this is not waited for
   */
  boolean drain(Duration longest);

  /** Drains without waiting and releases every thread and connection. Idempotent. */
  @Override
  void close();
}
