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
import io.rowqueue.internal.database.ServerDialect;
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
import org.jooq.tools.jdbc.MockDataProvider;
import org.jspecify.annotations.Nullable;

/**
 * A queue without a database, with a worker that runs on the test's thread on demand, in
 * milliseconds. The handlers come from the application's modules, and run in a worker's pipeline;
 * claims, leases, the fence, retries, priorities, due times, schedules, subscriptions, ordering
 * keys, deduplication keys, results and dead letters behave as on a server: the same contract tests
 * ({@code io.rowqueue.testkit.internal.contract}) run on both. Its clock only moves by {@link
 * #advance}. Confined to one thread.
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
 * fails. SQL fails the test with a message that gives the remedy; so do archives and payload
 * stores, which are not supported. {@code @QueueTest} supports them all.
 *
 * <p>Its worker applies pauses and limits, which a {@link TestWorker} does not. Rate limits use its
 * clock: {@link #drain} processes the messages that may start now, and {@link #advance} lets more
 * start.
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
    Module core = new TestWorkerModule(connections, faults, ServerDialect.MYSQL);
    List<Module> all =
        new ArrayList<>(List.of(Modules.override(core).with(new MemoryModule(memory))));
    all.addAll(team);
    this.parts = Guice.createInjector(Modules.override(all).with(instead));
    checkHandlers(parts);
    Turns.Surroundings around =
        new Turns.Surroundings(
            memory::redelivery, () -> maintain(), new OperatorsHeeding(parts, memory::claimable));
    this.turns = new Turns("memory", parts, connections, faults, around);
  }

  /** The maintenance of a worker. */
  private void maintain() {
    memory.maintain();
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
   * Creates an empty queue with the handlers of {@code modules}.
   *
   * @throws io.rowqueue.handler.HandlerConfigurationException if two handlers have the same topic
   * @throws com.google.inject.CreationException if the modules conflict
   */
  public static InMemoryQueue of(Module... modules) {
    return new InMemoryQueue(List.of(modules), List.of(), null);
  }

  /** Returns another, empty queue with {@code fake} in place of the modules' {@code type}. */
  public <T> InMemoryQueue with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** Returns another, empty queue with {@code fake} in place of the modules' {@code key}. */
  public <T> InMemoryQueue with(Key<T> key, T fake) {
    List<Module> more = new ArrayList<>(instead);
    more.add(binder -> binder.bind(key).toInstance(fake));
    return new InMemoryQueue(team, more, memory.answers());
  }

  /**
   * Returns another, empty queue whose handlers' SQL is answered by {@code answers}, statement by
   * statement; see jOOQ's MockDataProvider. Use a real server if the SQL itself matters.
   */
  public InMemoryQueue withAnswers(MockDataProvider answers) {
    return new InMemoryQueue(team, instead, answers);
  }

  /** Returns an instance bound by the modules, or one of RowQueue's components. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /**
   * Returns a data source for code without a worker: {@code Results.over} awaits results, {@code
   * BackPressure.over} checks limits. Both use the system's clock: a result that is not there yet
   * must be awaited on another thread, while this one drains.
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

  /** Work in a transaction. */
  @FunctionalInterface
  public interface Work {

    /**
     * Enqueues with the producer that {@code get(MessageProducer.class)} returns.
     *
     * @throws SQLException to roll back
     */
    void in(Connection connection) throws SQLException;
  }

  /**
   * Runs {@code work} in a transaction and commits it; rolls back if it throws. For application
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

  /** Advances the clock without processing messages. */
  public void advance(Duration by) {
    turns.begin();
    memory.advance(by);
  }

  /** Returns the clock's time; it starts at the beginning of 2026. */
  public Instant now() {
    return memory.now();
  }

  /**
   * Processes due messages, including those they enqueue, until none is left that is due by its
   * clock and not paused or limited; or until a crash.
   *
   * @return the attempts, in order
   * @throws AssertionError if there is no end, or a handler uses an unsupported feature
   */
  public List<HandledMessage> drain() {
    return checked(turns::drain);
  }

  /**
   * Processes the next due message, or the next batch if its binding is a batch handler.
   *
   * @return the attempts; empty if nothing is due
   * @throws AssertionError if its handler uses an unsupported feature
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

  /** Reaps the claims of a crashed worker, without waiting for its lease. */
  public void reap() {
    turns.reap();
  }

  /** Injects {@code fault} into the next attempt that reaches its point. */
  public void failNext(Fault fault) {
    faults.arm(fault);
  }

  /**
   * Redrives a dead letter, with its attempts reset to zero.
   *
   * @return whether it existed
   */
  public boolean redrive(MessageId id) {
    return get(DeadLetters.class).redrive(id);
  }

  /**
   * Redrives every dead letter.
   *
   * @return their number
   */
  public int redriveAll() {
    return get(DeadLetters.class)
        .redriveAll(
            poll().deadLetters().stream().map(DeadMessage::id).map(MessageId::new).toList());
  }

  /**
   * Cancels an unclaimed message.
   *
   * @throws io.rowqueue.operate.RefusedException if it is in flight, a dead letter, or does not
   *     exist
   */
  public void cancel(MessageId id) {
    get(Messages.class).cancel(id);
  }

  /** Returns the current contents. */
  public QueueContents poll() {
    return memory.contents();
  }

  /** Used by AssertJ. */
  @Override
  public QueueAssert assertThat() {
    return new QueueAssert(poll());
  }

  /** Formats the current contents. */
  @Override
  public String toString() {
    return "the queue in memory:\n" + poll();
  }
}
