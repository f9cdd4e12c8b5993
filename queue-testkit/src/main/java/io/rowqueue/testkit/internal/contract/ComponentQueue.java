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
record ComponentQueue(
    Components components, Supplier<QueueContents> contents, Clock clock, Set<Feature> features)
    implements ContractQueue {

  ComponentQueue {
    features = Set.copyOf(features);
  }

  static ComponentQueue of(Components components, Supplier<QueueContents> contents, Clock clock) {
    return new ComponentQueue(components, contents, clock, Set.of(Feature.values()));
  }

  /** Returns a component by its type. */
  interface Components {
    <T> T get(Class<T> type);
  }

  /** The components of a worker, and the database for processes without one. */
  record OnDatabase(QueueDatabase database, Components ofWorker) implements Components {

    @Override
    public <T> T get(Class<T> type) {
      return type == DataSource.class ? type.cast(database.dataSource()) : ofWorker.get(type);
    }
  }

  /** The components of a queue in memory, and the data source for processes without a worker. */
  record InMemory(InMemoryQueue queue) implements Components {

    @Override
    public <T> T get(Class<T> type) {
      return type == DataSource.class ? type.cast(queue.dataSource()) : queue.get(type);
    }
  }

  /** A clock that can be advanced. */
  record Clock(Consumer<Duration> moving, Supplier<Instant> reading) {}

  @Override
  public MessageProducer producer() {
    return components.get(MessageProducer.class);
  }

  @Override
  public Transactions transactions() {
    return components.get(Transactions.class);
  }

  @Override
  public ClaimStrategy strategy() {
    return components.get(ClaimStrategy.class);
  }

  @Override
  public ClaimStore claims() {
    return components.get(ClaimStore.class);
  }

  @Override
  public Admission admission() {
    return components.get(Admission.class);
  }

  @Override
  public Settler settler() {
    return components.get(Settler.class);
  }

  @Override
  public WorkerRegistry workers() {
    return components.get(WorkerRegistry.class);
  }

  @Override
  public Reaper reaper() {
    return components.get(Reaper.class);
  }

  @Override
  public DeadLetters deadLetters() {
    return components.get(DeadLetters.class);
  }

  @Override
  public Messages messages() {
    return components.get(Messages.class);
  }

  @Override
  public ContractQueue withFeatures(Set<Feature> some) {
    return new ComponentQueue(components, contents, clock, some);
  }

  @Override
  public <T> T capacity(Class<T> type) {
    return components.get(type);
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
