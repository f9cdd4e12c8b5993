package io.rowqueue.proof.race;

import com.google.inject.multibindings.OptionalBinder;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.WorkerPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One side of a race: the parts of a worker that is not started, on connections of their own, with
 * a gate at their COMMITs. It runs one move at a time.
 */
final class Player implements AutoCloseable {

  static final String TOPIC = "race";

  private final Gate gate = new Gate();
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
  private final TestWorker parts;

  Player(QueueDatabase database) {
    this.parts =
        TestWorker.create(
            database,
            Player::settings,
            LambdaHandlers.bind(
                TOPIC,
                String.class,
                (payload, context) -> {
                  context.transaction().execute("INSERT INTO effect VALUES (?)", payload);
                  RuntimeException thrown = failure.get();
                  if (thrown != null) {
                    throw thrown;
                  }
                }),
            binder ->
                OptionalBinder.newOptionalBinder(binder, TransactionProbe.class)
                    .setBinding()
                    .toInstance(gate));
  }

  /** What comes back is seen at once, and what waits does so for longer than a race takes. */
  private static WorkerConfig settings(WorkerConfig config) {
    return config
        .withClaims(config.claims().withSettings(config.claims().settings().withCursor(false)))
        .withHandlers(
            HandlerDefaults.defaults()
                .withMaxAttempts(3)
                .withRetryPolicy(RetryPolicy.fixed(Duration.ofHours(1))));
  }

  Gate gate() {
    return gate;
  }

  <T> T get(Class<T> type) {
    return parts.get(type);
  }

  Outcome handle(Claim claim) {
    return handle(claim, null);
  }

  /** The same, with a handler that writes its effect and then throws {@code thrown}. */
  Outcome handle(Claim claim, @Nullable RuntimeException thrown) {
    failure.set(thrown);
    Told told = new Told();
    get(HandlerPipeline.class).handle(claim, () -> null, told);
    return told.outcome;
  }

  /** Keeps it from writing; its looks go over other connections. */
  Shut shut() throws SQLException {
    WorkerPools pools = get(WorkerPools.class);
    // Few reads would be transactions over the same connections.
    while (pools.frequentReads() == null) {
      Thread.onSpinWait();
    }
    return Shut.of((HikariDataSource) pools.protocol());
  }

  @Override
  public void close() {
    parts.close();
  }

  /** Is told on the thread that asks. */
  private static final class Told implements HandlingListener {

    private Outcome outcome = Outcome.ABANDONED;

    @Override
    public void begun(Handling handling) {}

    @Override
    public void ended(Handling handling) {}

    @Override
    public void settled(Claim claim, Outcome settled) {
      outcome = settled;
    }
  }

  /** Holds a player between its last statement and its COMMIT, and sees what it had to repeat. */
  static final class Gate implements TransactionProbe {

    private final List<String> repetitions = new CopyOnWriteArrayList<>();
    private volatile @Nullable Hold hold;

    /** Closes it for the next transaction of {@code transition}. */
    Hold closeFor(Transition transition) {
      repetitions.clear();
      Hold closed = new Hold(transition, new CompletableFuture<>(), new CompletableFuture<>());
      hold = closed;
      return closed;
    }

    /** Leaves it open, and forgets what was before. */
    void open() {
      repetitions.clear();
      hold = null;
    }

    /** What was rolled back and run again since it was closed or opened, and why. */
    List<String> repetitions() {
      return List.copyOf(repetitions);
    }

    @Override
    public void beforeCommit(Transition transition) {
      Hold closed = hold;
      if (closed != null && closed.transition == transition) {
        hold = null;
        closed.reached.complete(transition);
        closed.open.join();
      }
    }

    @Override
    public void repeated(Transition transition, Throwable cause) {
      repetitions.add(transition.label() + ": " + cause.getMessage());
    }

    /** One time that it is closed. */
    record Hold(
        Transition transition,
        CompletableFuture<Transition> reached,
        CompletableFuture<Boolean> open) {

      /** Lets whoever stands there, or comes, go on. */
      void admitNext() {
        open.complete(true);
      }
    }
  }

  /** All connections of a pool, taken from everybody else until it is closed. */
  static final class Shut implements AutoCloseable {

    private final HikariDataSource pool;
    private final List<Connection> taken = new ArrayList<>();

    private Shut(HikariDataSource pool) {
      this.pool = pool;
    }

    static Shut of(HikariDataSource pool) throws SQLException {
      Shut shut = new Shut(pool);
      while (shut.taken.size() < pool.getMaximumPoolSize()) {
        shut.taken.add(pool.getConnection());
      }
      return shut;
    }

    /** Whether somebody stands before it. */
    boolean isWaitedFor() {
      return pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0;
    }

    @Override
    public void close() throws SQLException {
      for (Connection connection : taken) {
        connection.close();
      }
    }
  }
}
