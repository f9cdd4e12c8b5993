package io.rowqueue.testkit;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.util.Modules;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.settle.Settler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A worker without threads: it claims, processes and settles on the test's thread on demand, and is
 * deterministic. Its handlers come from the application's modules; claims, transactions and
 * settlements are the real ones, on the real database. It stops the database's clock, which then
 * only moves by {@link #advance}: due times, backoffs, schedules and leases use it. Confined to one
 * thread.
 *
 * <pre>{@code
 * queue.enqueue("order.placed", order);
 * worker.drain();
 * assertThat(queue).hasEnqueued("email.send").once();
 * worker.advance(Duration.ofHours(1));
 * worker.drain();
 * }</pre>
 *
 * <p>It ignores limits and pauses of topics, and sends no notifications.
 */
public final class TestWorker implements AutoCloseable {

  /** The lease of a dead worker, by the database's clock. */
  public static final Duration LEASE = Turns.LEASE;

  private final QueueDatabase database;
  private final List<Module> team;
  private final List<Module> instead;
  private final TestConnections connections;
  private final Faults faults;
  private final Injector parts;
  private final Turns turns;

  private TestWorker(QueueDatabase database, List<Module> team, List<Module> instead) {
    this.database = database;
    this.team = team;
    this.instead = instead;
    this.connections = new TestConnections(database);
    this.faults = new Faults(connections, this::takeAway);
    database.stopClock();
    Module core = new TestWorkerModule(connections, faults);
    List<Module> all = new ArrayList<>(List.of(core));
    all.addAll(team);
    this.parts = Guice.createInjector(Modules.override(all).with(instead));
    Turns.Surroundings around =
        new Turns.Surroundings(redeliveries(database), () -> {}, Heeding.NOTHING);
    this.turns = new Turns(database.name(), parts, connections, faults, around);
  }

  /** Creates a worker with the handlers of {@code modules}, on the queue of {@code database}. */
  public static TestWorker of(QueueDatabase database, Module... modules) {
    return new TestWorker(database, List.of(modules), List.of());
  }

  /**
   * Creates a worker on the queue of an application's data source, with the server's own clock.
   *
   * @param handlerConnections in whose transactions handlers run, as in {@link
   *     io.rowqueue.worker.WorkerBuilder#handlerConnections}
   */
  public static TestWorker of(
      DataSource dataSource, DataSource handlerConnections, Module... modules) {
    Module managed =
        new AbstractModule() {
          @Provides
          @Singleton
          @HandlerConnections
          Transactions handlerTransactions(Transactions own, TransactionProbe probe) {
            return new Transactions(handlerConnections, own.dialect(), probe).managed();
          }
        };
    return new TestWorker(QueueDatabase.of(dataSource), List.of(modules), List.of(managed));
  }

  /** Returns another worker, with {@code fake} in place of the modules' {@code type}. */
  public <T> TestWorker with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** Returns another worker, with {@code fake} in place of the modules' {@code key}. */
  public <T> TestWorker with(Key<T> key, T fake) {
    List<Module> more = new ArrayList<>(instead);
    more.add(binder -> binder.bind(key).toInstance(fake));
    close();
    return new TestWorker(database, team, more);
  }

  /** Returns an instance bound by the modules, or one of RowQueue's components. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /** Advances the database's clock without processing messages. */
  public void advance(Duration by) {
    database.advance(by);
  }

  /**
   * Reaps the claims of a crashed worker, without waiting for its lease: peers detect a dead
   * process by its connection.
   */
  public void reap() {
    turns.reap();
  }

  /** Injects {@code fault} into the next attempt that reaches its point. */
  public void failNext(Fault fault) {
    faults.arm(fault);
  }

  /**
   * Processes due messages, including those they enqueue, until none is due by the database's
   * clock; or until a crash.
   *
   * @return the attempts, in order
   * @throws AssertionError if there is no end
   */
  public List<HandledMessage> drain() {
    return turns.drain();
  }

  /**
   * Processes the next due message, or the next batch if its binding is a batch handler.
   *
   * @return the attempts; empty if nothing is due
   */
  public List<HandledMessage> runOnce() {
    return turns.turn(1);
  }

  /**
   * Processes {@code message} twice, with its first acknowledgement lost, and compares the state
   * after the first attempt with the state after the second: the rows of every table, enqueued
   * messages, and the state from {@code outside}. Ignores AUTO_INCREMENT columns.
   *
   * <p>The first attempt ends when its handler has returned: its writes in the message's
   * transaction are rolled back, but its calls to other systems stay.
   *
   * @param outside returns the state of other systems, such as the mails of a fake
   * @throws AssertionError listing the differences, if there are any
   */
  public void checkIdempotent(NewMessage message, Supplier<?>... outside) {
    new IdempotencyCheck(database, this, faults).run(message, List.of(outside));
  }

  /** Closes its connections; its messages are unchanged. Idempotent. */
  @Override
  public void close() {
    connections.close();
  }

  static boolean hasCrashed(List<HandledMessage> handled) {
    return Turns.hasCrashed(handled);
  }

  private static Function<Claim, Runnable> redeliveries(QueueDatabase database) {
    return claim -> {
      Redelivery again = Redelivery.of(database, claim);
      return () -> again.deliver(database);
    };
  }

  /** Another worker has released it, as the reaper does. */
  private void takeAway(Claim claim) {
    get(Settler.class).releaseAll(List.of(claim));
  }
}
