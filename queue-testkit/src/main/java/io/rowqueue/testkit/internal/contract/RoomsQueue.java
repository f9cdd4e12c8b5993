package io.rowqueue.testkit.internal.contract;

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
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A queue composed of given components. */
record RoomsQueue(Rooms rooms, Supplier<QueueContents> contents, Clock clock, Set<Feature> features)
    implements ContractQueue {

  RoomsQueue {
    features = Set.copyOf(features);
  }

  static RoomsQueue of(Rooms rooms, Supplier<QueueContents> contents, Clock clock) {
    return new RoomsQueue(rooms, contents, clock, Set.of(Feature.values()));
  }

  /** Returns a component by its type. */
  interface Rooms {
    <T> T get(Class<T> type);
  }

  /** The components of a worker, and the database for processes without one. */
  record OnDatabase(QueueDatabase database, Rooms ofWorker) implements Rooms {

    @Override
    public <T> T get(Class<T> type) {
      return type == DataSource.class ? type.cast(database.dataSource()) : ofWorker.get(type);
    }
  }

  /** The components of a queue in memory, and the data source for processes without a worker. */
  record InMemory(InMemoryQueue queue) implements Rooms {

    @Override
    public <T> T get(Class<T> type) {
      return type == DataSource.class ? type.cast(queue.dataSource()) : queue.get(type);
    }
  }

  /** A clock that can be advanced. */
  record Clock(Consumer<Duration> moving, Supplier<Instant> reading) {}

  @Override
  public MessageProducer producer() {
    return rooms.get(MessageProducer.class);
  }

  @Override
  public Transactions transactions() {
    return rooms.get(Transactions.class);
  }

  @Override
  public ClaimStrategy strategy() {
    return rooms.get(ClaimStrategy.class);
  }

  @Override
  public ClaimStore claims() {
    return rooms.get(ClaimStore.class);
  }

  @Override
  public Admission admission() {
    return rooms.get(Admission.class);
  }

  @Override
  public Settler settler() {
    return rooms.get(Settler.class);
  }

  @Override
  public WorkerRegistry workers() {
    return rooms.get(WorkerRegistry.class);
  }

  @Override
  public Reaper reaper() {
    return rooms.get(Reaper.class);
  }

  @Override
  public DeadLetters deadLetters() {
    return rooms.get(DeadLetters.class);
  }

  @Override
  public Messages messages() {
    return rooms.get(Messages.class);
  }

  @Override
  public ContractQueue withFeatures(Set<Feature> some) {
    return new RoomsQueue(rooms, contents, clock, some);
  }

  @Override
  public <T> T capacity(Class<T> type) {
    return rooms.get(type);
  }

  @Override
  public QueueContents poll() {
    return contents.get();
  }

  @Override
  public void advance(Duration by) {
    clock.moving().accept(by);
  }

  @Override
  public Instant now() {
    return clock.reading().get();
  }
}
