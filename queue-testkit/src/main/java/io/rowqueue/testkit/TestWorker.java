package io.rowqueue.testkit;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.settle.Settler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A worker without threads: it claims, handles and settles on the test's own thread, when it is
 * told to, and is the same at every run. Its handlers are those of the team's modules; claims,
 * transactions and settlements are the real ones, on the real database. From its making on the
 * database's clock stands still and moves by {@link #advance} only: due times, backoffs, schedules
 * and leases heed it. Confined to one thread.
 *
 * <pre>{@code
 * queue.enqueue("order.placed", order);
 * worker.drain();
 * assertThat(queue).hasEnqueued("email.send").once();
 * worker.advance(Duration.ofHours(1));
 * worker.drain();
 * }</pre>
 *
 * <p>It heeds neither limits nor pauses of topics, and rings nobody.
 */
public final class TestWorker implements AutoCloseable {

  /** How long a dead worker's messages stay its own, by the database's clock. */
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

  /** One with the handlers of {@code modules}, on the queue of {@code database}. */
  public static TestWorker of(QueueDatabase database, Module... modules) {
    return new TestWorker(database, List.of(modules), List.of());
  }

  /** Another one, with {@code fake} wherever the modules would give a {@code type}. */
  public <T> TestWorker with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** Another one, with {@code fake} wherever the modules would give what {@code key} names. */
  public <T> TestWorker with(Key<T> key, T fake) {
    List<Module> more = new ArrayList<>(instead);
    more.add(binder -> binder.bind(key).toInstance(fake));
    close();
    return new TestWorker(database, team, more);
  }

  /** What its modules bind, or one of RowQueue's own rooms. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /** Moves the database's clock on; nothing is handled by that. */
  public void advance(Duration by) {
    database.advance(by);
  }

  /**
   * Frees what it had in hand when it crashed, without waiting for its lease: peers see a dead
   * process by its connection.
   */
  public void reap() {
    turns.reap();
  }

  /** The next handling that comes as far meets {@code fault}. */
  public void failNext(Fault fault) {
    faults.arm(fault);
  }

  /**
   * Handles what is due, and what that enqueues, until nothing is left that is due by the
   * database's clock; or until it crashes.
   *
   * @return what it handled, in order
   * @throws AssertionError if there is no end to it
   */
  public List<HandledMessage> drain() {
    return turns.drain();
  }

  /**
   * Handles the next message that is due, or the next batch where its binding has batches.
   *
   * @return what it handled; empty if nothing is due
   */
  public List<HandledMessage> runOnce() {
    return turns.turn(1);
  }

  /**
   * Handles {@code message} twice, with its first acknowledgement lost, and compares what there is
   * after the first handling with what there is after the second: the rows of every table, what is
   * enqueued, and what {@code outside} says of the world. Columns that count by themselves are left
   * out.
   *
   * <p>The first handling ends when its handler has returned: what it wrote in the message's
   * transaction is rolled back with it, and its calls to the outside stay.
   *
   * @param outside the state of what the handler calls, such as the mails of a fake
   * @throws AssertionError if anything differs, with the differences
   */
  public void checkIdempotent(NewMessage message, Supplier<?>... outside) {
    new IdempotencyCheck(database, this, faults).run(message, List.of(outside));
  }

  /** Frees its connections; its messages stay as they are. Idempotent. */
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

  /** Somebody else has released it, as a reap does. */
  private void takeAway(Claim claim) {
    get(Settler.class).releaseAll(List.of(claim));
  }
}
