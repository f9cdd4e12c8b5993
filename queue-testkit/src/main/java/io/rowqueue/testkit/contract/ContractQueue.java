package io.rowqueue.testkit.contract;

import com.google.inject.Injector;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.operate.Messages;
import io.rowqueue.order.Admission;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.InMemoryQueue;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestWorker;
import io.rowqueue.testkit.queue.QueueContents;
import java.time.Duration;
import java.time.Instant;
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

  /** What it holds now, as far as it is committed. */
  QueueContents look();

  /** Moves its clock, which stands still otherwise. */
  void advance(Duration by);

  /** What its clock shows. */
  Instant now();

  /**
   * The queue of {@code database}, with the rooms of {@code worker}; replace one of them by {@link
   * TestWorker#with}. Close the worker behind each test.
   */
  static ContractQueue of(QueueDatabase database, TestWorker worker) {
    return new RoomsQueue(
        worker::get,
        () -> database.queue().look(),
        new RoomsQueue.Clock(worker::advance, database::now));
  }

  /** The queue in memory, which must be empty. */
  static ContractQueue of(InMemoryQueue queue) {
    return new RoomsQueue(
        queue::get, queue::look, new RoomsQueue.Clock(queue::advance, queue::now));
  }

  /**
   * A queue of a team's own making, whose rooms {@code parts} gives.
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
    return new RoomsQueue(parts::getInstance, contents, new RoomsQueue.Clock(moving, reading));
  }
}
