package io.rowqueue.testkit;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.util.Modules;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.testkit.internal.memory.Memory;
import io.rowqueue.testkit.internal.memory.MemoryModule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.assertj.core.api.AssertProvider;
import org.jooq.SQLDialect;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jspecify.annotations.Nullable;

/**
 * A queue without a database, with a worker that works on the test's own thread when it is told to,
 * in milliseconds. The handlers are those of the team's modules, and run through a worker's own
 * pipeline; claims, leases, the fence, retries, priorities, due times, schedules, subscriptions,
 * ordering keys, deduplication keys, results and dead letters are as on the servers: the same
 * contracts ({@code io.rowqueue.testkit.contract}) are run on all of them. Its clock stands still
 * and moves by {@link #advance} only. Confined to one thread.
 *
 * <pre>{@code
 * InMemoryQueue queue = InMemoryQueue.of(new ShopModule());
 * queue.enqueue("order.placed", order);
 * queue.drain();
 * assertThat(queue).hasEnqueued("email.send").once();
 * queue.advance(Duration.ofHours(1));
 * queue.drain();
 * }</pre>
 *
 * <p>What a handler enqueues through the {@link MessageProducer} that Guice gives it, or a {@code
 * BatchProducer} or {@code ChainProducer}, appears with its acknowledgement, and not at all if it
 * fails. SQL is refused, and fails the test with what to do; so do archives and stores of payloads,
 * which are not there. {@code @QueueTest} has them all.
 *
 * <p>Its worker heeds pauses and limits, which a {@link TestWorker} does not. A rate goes by its
 * clock: {@link #drain} handles what may begin now, and {@link #advance} lets more begin.
 */
public final class InMemoryQueue implements AssertProvider<QueueAssert> {

  private final List<Module> team;
  private final List<Module> instead;
  private final Memory memory;
  private final DataSource dataSource;
  private final Faults faults;
  private final Injector parts;
  private final Turns turns;

  private InMemoryQueue(
      List<Module> team, List<Module> instead, @Nullable MockDataProvider answers) {
    this.team = team;
    this.instead = instead;
    this.memory = new Memory(answers);
    TestConnections connections = new TestConnections(memory::connect, () -> null);
    memory.checkingBefore(connections::checkAlive);
    this.dataSource = connections.dataSource();
    this.faults = new Faults(connections, claim -> get(Settler.class).releaseAll(List.of(claim)));
    Module core = new TestWorkerModule(connections, faults, SQLDialect.MYSQL);
    List<Module> all =
        new ArrayList<>(List.of(Modules.override(core).with(new MemoryModule(memory))));
    all.addAll(team);
    this.parts = Guice.createInjector(Modules.override(all).with(instead));
    checkHandlers(parts);
    Turns.Surroundings around =
        new Turns.Surroundings(
            memory::redelivery, () -> keepHouse(), new OperatorsHeeding(parts, memory::claimable));
    this.turns = new Turns("memory", parts, connections, faults, around);
  }

  /** What the maintenance of a worker does. */
  private void keepHouse() {
    memory.keepHouse();
    int unused = get(Batches.class).sweep();
  }

  /** A topic has one handler. */
  private static void checkHandlers(Injector parts) {
    try {
      HandlerRegistry unused = parts.getInstance(HandlerRegistry.class);
    } catch (ProvisionException e) {
      throw e.getCause() instanceof QueueException known ? known : e;
    }
  }

  /**
   * An empty one with the handlers of {@code modules}.
   *
   * @throws io.rowqueue.handler.HandlerConfigurationException if two handlers have one topic
   * @throws com.google.inject.CreationException if the modules do not go together
   */
  public static InMemoryQueue of(Module... modules) {
    return new InMemoryQueue(List.of(modules), List.of(), null);
  }

  /** Another one, empty, with {@code fake} wherever the modules would give a {@code type}. */
  public <T> InMemoryQueue with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /**
   * Another one, empty, with {@code fake} wherever the modules would give what {@code key} names.
   */
  public <T> InMemoryQueue with(Key<T> key, T fake) {
    List<Module> more = new ArrayList<>(instead);
    more.add(binder -> binder.bind(key).toInstance(fake));
    return new InMemoryQueue(team, more, memory.answers());
  }

  /**
   * Another one, empty, whose handlers' SQL is answered as {@code answers} says, statement by
   * statement; see jOOQ's MockDataProvider. What matters to SQL belongs on a real server.
   */
  public InMemoryQueue withAnswers(MockDataProvider answers) {
    return new InMemoryQueue(team, instead, answers);
  }

  /** What its modules bind, or one of RowQueue's rooms. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /**
   * By which code without a worker reaches it: {@code Results.over} awaits what handlers give back,
   * {@code BackPressure.over} tells whether topics are overfull. Both go by the system's clock: who
   * awaits what is not handled yet does so on a thread of his own, while this one drains.
   */
  public DataSource dataSource() {
    return memory.dataSource();
  }

  /** Enqueues a message in a transaction of its own. */
  public MessageId enqueue(String topic, Object payload) {
    return enqueue(NewMessage.of(topic, payload));
  }

  /** Enqueues {@code message} in a transaction of its own. */
  public MessageId enqueue(NewMessage message) {
    turns.begin();
    return get(MessageProducer.class).enqueue(dataSource, message);
  }

  /** What happens in a transaction. */
  @FunctionalInterface
  public interface Work {

    /**
     * Enqueues, by the producer that {@code get(MessageProducer.class)} gives.
     *
     * @throws SQLException to have it rolled back
     */
    void in(Connection connection) throws SQLException;
  }

  /**
   * Runs {@code work} in a transaction and commits it; rolls it back if it throws. For a team's
   * code that enqueues in transactions.
   */
  public void inTransaction(Work work) {
    turns.begin();
    boolean unused =
        get(Transactions.class)
            .runOnce(
                Transition.ENQUEUE,
                tx -> {
                  work.in(tx.connection());
                  return true;
                });
  }

  /** Moves its clock on; nothing is handled by that. */
  public void advance(Duration by) {
    turns.begin();
    memory.advance(by);
  }

  /** What its clock shows; it begins with the year 2026. */
  public Instant now() {
    return memory.now();
  }

  /**
   * Handles what is due, and what that enqueues, until nothing is left that is due by its clock and
   * that no pause or limit of its topic holds back; or until it crashes.
   *
   * @return what it handled, in order
   * @throws AssertionError if there is no end to it, or a handler does what cannot be done here
   */
  public List<HandledMessage> drain() {
    return checked(turns::drain);
  }

  /**
   * Handles the next message that is due, or the next batch where its binding has batches.
   *
   * @return what it handled; empty if nothing is due
   * @throws AssertionError if its handler does what cannot be done here
   */
  public List<HandledMessage> runOnce() {
    return checked(() -> turns.turn(1));
  }

  private List<HandledMessage> checked(Supplier<List<HandledMessage>> turn) {
    memory.takeRefused();
    List<HandledMessage> handled = turn.get();
    String refused = memory.takeRefused();
    if (refused != null) {
      throw new AssertionError(
          ("a handler %s%nProcessed so far: %s. Test it with @QueueTest, or supply a database's"
               + " answers with withAnswers(...). To enqueue, inject the MessageProducer; one from"
               + " MessageProducer.create() sends SQL. RowQueue's counters are not available in"
               + " memory.")
              .formatted(refused, handled));
    }
    return handled;
  }

  /** Frees what it had in hand when it crashed, without waiting for its lease. */
  public void reap() {
    turns.reap();
  }

  /** The next handling that comes as far meets {@code fault}. */
  public void failNext(Fault fault) {
    faults.arm(fault);
  }

  /**
   * Makes a dead letter available again, with its attempts at zero.
   *
   * @return whether there was one
   */
  public boolean redrive(MessageId id) {
    return get(DeadLetters.class).redrive(id);
  }

  /**
   * Makes every dead letter available again.
   *
   * @return how many there were
   */
  public int redriveAll() {
    return get(DeadLetters.class)
        .redriveAll(
            poll().deadLetters().stream().map(DeadMessage::id).map(MessageId::new).toList());
  }

  /**
   * Takes a message that nobody has claimed out of the queue.
   *
   * @throws io.rowqueue.operate.RefusedException if it is in flight, a dead letter, or not there
   */
  public void cancel(MessageId id) {
    get(Messages.class).cancel(id);
  }

  /** What it holds now. */
  public QueueContents poll() {
    return memory.contents();
  }

  /** For AssertJ. */
  @Override
  public QueueAssert assertThat() {
    return new QueueAssert(poll());
  }

  /** What it holds now, for people. */
  @Override
  public String toString() {
    return "the queue in memory:\n" + poll();
  }
}
