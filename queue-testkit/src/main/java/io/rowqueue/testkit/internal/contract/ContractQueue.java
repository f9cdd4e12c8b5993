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
 * A queue that the contracts are run on: the rooms of it, a clock that the test moves, and a look
 * at what it holds. It is empty when a test gets it. Thread-safe.
 */
public interface ContractQueue {

  /** Puts messages in, in transactions of {@link #transactions()}. */
  MessageProducer producer();

  /** Where producers and handlers work, and settlements with them. */
  Transactions transactions();

  /** Takes messages out. */
  ClaimStrategy strategy();

  /** What a worker does with claims before and beside their handling. */
  ClaimStore claims();

  /** Lets messages with ordering keys into their lines. */
  Admission admission();

  /** Ends claims. */
  Settler settler();

  /** Who lives. */
  WorkerRegistry workers();

  /** Releases what the dead held. */
  Reaper reaper();

  /** What was set aside. */
  DeadLetters deadLetters();

  /** Single messages, for operators. */
  Messages messages();

  /**
   * What it has beyond the life of a message, which is all of it where nobody says otherwise by
   * {@link #withFeatures}.
   */
  Set<Feature> features();

  /** The same queue, of which only {@code features} are claimed. */
  ContractQueue withFeatures(Set<Feature> features);

  /**
   * A room that serves one of its features, such as {@link io.rowqueue.operate.Schedules}; or the
   * {@link javax.sql.DataSource} by which processes without a worker reach it.
   *
   * @throws com.google.inject.ConfigurationException if it has no such room
   */
  <T> T capacity(Class<T> type);

  /** What it holds now, as far as it is committed. */
  QueueContents poll();

  /** Moves its clock, which stands still otherwise. */
  void advance(Duration by);

  /** What its clock shows. */
  Instant now();

  /**
   * The queue of {@code database}, with the rooms of {@code worker}; replace one of them by {@link
   * TestWorker#with}. Close the worker behind each test.
   */
  static ContractQueue of(QueueDatabase database, TestWorker worker) {
    return RoomsQueue.of(
        new RoomsQueue.OnDatabase(database, worker::get),
        () -> database.queue().poll(),
        new RoomsQueue.Clock(worker::advance, database::now));
  }

  /** The queue in memory, which must be empty. */
  static ContractQueue of(InMemoryQueue queue) {
    return RoomsQueue.of(
        new RoomsQueue.InMemory(queue),
        queue::poll,
        new RoomsQueue.Clock(queue::advance, queue::now));
  }

  /**
   * A queue of a team's own making, whose rooms {@code parts} gives; results and depths need a
   * {@link javax.sql.DataSource} among them.
   *
   * @param contents what it holds now
   * @param moving moves its clock
   * @param reading what its clock shows
   */
  static ContractQueue of(
      Injector parts,
      Supplier<QueueContents> contents,
      Consumer<Duration> moving,
      Supplier<Instant> reading) {
    return RoomsQueue.of(parts::getInstance, contents, new RoomsQueue.Clock(moving, reading));
  }
}
