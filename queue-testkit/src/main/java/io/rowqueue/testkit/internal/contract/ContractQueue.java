package io.rowqueue.testkit.internal.contract;

import com.google.inject.Injector;
import io.rowqueue.MessageProducer;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.testkit.InMemoryQueue;
import io.rowqueue.testkit.QueueContents;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A queue under contract tests: its components, a clock that the test controls, and its contents.
 * Initially empty. Thread-safe.
 */
public interface ContractQueue {

  /** Enqueues messages, in transactions of {@link #transactions()}. */
  MessageProducer producer();

  /** The transactions of producers, handlers and settlements. */
  Transactions transactions();

  /** Claims messages. */
  ClaimStrategy strategy();

  /** Promotes and reconciles claims. */
  ClaimStore claims();

  /** Admits messages with ordering keys. */
  Admission admission();

  /** Settles claims. */
  Settler settler();

  /** Registers workers. */
  WorkerRegistry workers();

  /** Releases claims of dead workers. */
  Reaper reaper();

  /** Manages dead letters. */
  DeadLetters deadLetters();

  /** Manages single messages, for operators. */
  Messages messages();

  /**
   * Returns its features beyond the life of a message; all of them, unless reduced by {@link
   * #withFeatures}.
   */
  Set<Feature> features();

  /** Returns this queue, reduced to {@code features}. */
  ContractQueue withFeatures(Set<Feature> features);

  /**
   * Returns the component of a feature, such as {@link io.rowqueue.operate.Schedules}; or the
   * {@link javax.sql.DataSource} for processes without a worker.
   *
   * @throws com.google.inject.ConfigurationException if it has no such component
   */
  <T> T capacity(Class<T> type);

  /** Returns its committed contents. */
  QueueContents poll();

  /** Advances its clock, which only moves by this method. */
  void advance(Duration by);

  /** Returns its clock's time. */
  Instant now();

  /**
   * Uses the queue of {@code database}, with the components of {@code worker}; replace one of them
   * with {@link TestWorker#with}. Close the worker after each test.
   */
  static ContractQueue of(QueueDatabase database, TestWorker worker) {
    return ComponentQueue.of(
        new ComponentQueue.OnDatabase(database, worker::get),
        () -> database.queue().poll(),
        new ComponentQueue.Clock(worker::advance, database::now));
  }

  /** Uses the queue in memory, which must be empty. */
  static ContractQueue of(InMemoryQueue queue) {
    return ComponentQueue.of(
        new ComponentQueue.InMemory(queue),
        queue::poll,
        new ComponentQueue.Clock(queue::advance, queue::now));
  }

  /**
   * Uses a custom queue with the components from {@code parts}; results and depths need a {@link
   * javax.sql.DataSource} among them.
   *
   * @param contents returns its contents
   * @param moving advances its clock
   * @param reading returns its clock's time
   */
  static ContractQueue of(
      Injector parts,
      Supplier<QueueContents> contents,
      Consumer<Duration> moving,
      Supplier<Instant> reading) {
    return ComponentQueue.of(
        parts::getInstance, contents, new ComponentQueue.Clock(moving, reading));
  }
}
