package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.ResultHandler;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The handlers of {@link Action}: each writes its effect into the message's transaction. */
final class Handlers {

  /** Longer than any handler timeout of the harness. */
  private static final Duration HANGING = Duration.ofSeconds(6);

  private static final int KILLED = 137;
  private static final int MOST_ADDED = 5;
  private static final int MOST_TAKEN = 9;
  private static final long CHECK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final Logger LOG = LoggerFactory.getLogger(Handlers.class);
  private static final AtomicReference<@Nullable Connection> LEAKED = new AtomicReference<>();

  private Handlers() {}

  /** Writes the effect and what else there is to be written, and ends as the message says. */
  static void handle(Action action, HandlerContext context, Runnable more) throws SQLException {
    HandlingJournal.around(
        context,
        () -> {
          writeEffect(context);
          more.run();
          work(action, context);
        });
  }

  static void writeEffect(HandlerContext context) {
    context
        .transaction()
        .execute(
            "INSERT INTO effect (message_id, claim, pid) VALUES (?, ?, ?)",
            context.id().value(),
            context.claimNumber(),
            ProcessHandle.current().pid());
  }

  private static void work(Action action, HandlerContext context) throws SQLException {
    if (action.millis() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(action.millis()));
    }
    end(action, context);
  }

  static final class Single implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      Handlers.handle(action, context, () -> {});
    }
  }

  /** A whole batch; the first message that fails fails all. */
  static final class Batch implements BatchHandler<Action> {
    private final Single single;

    @Inject
    Batch(Single single) {
      this.single = single;
    }

    @Override
    public void handle(List<Delivery<Action>> batch) throws SQLException {
      for (Delivery<Action> each : batch) {
        single.handle(each.payload(), each.context());
      }
    }
  }

  /** Returns its claim number: the result must be that of the claim that was settled. */
  static final class Returning implements ResultHandler<Action, Integer> {
    private final Single single;

    @Inject
    Returning(Single single) {
      this.single = single;
    }

    @Override
    public Integer handle(Action action, HandlerContext context) throws SQLException {
      single.handle(action, context);
      return context.claimNumber();
    }
  }

  /** Its effect is its line in the journal: outside of every transaction, as an e-mail is. */
  static final class Outside implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      HandlingJournal.around(context, () -> work(action, context));
    }
  }

  /** Writes which content, of all that were enqueued under its deduplication key, it was given. */
  static final class Keyed implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      long content = Long.parseLong(Objects.requireNonNull(action.filler()));
      Handlers.handle(
          action,
          context,
          () ->
              context
                  .transaction()
                  .execute(
                      "INSERT INTO keyed_effect (message_id, content) VALUES (?, ?)",
                      context.id().value(),
                      content));
    }
  }

  /** Adds to the counter or takes from it, as its message's id says, and writes how much. */
  static final class Counting implements MessageHandler<Action> {
    private final ShardedCounter counter;

    @Inject
    Counting(ShardedCounter counter) {
      this.counter = counter;
    }

    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      Handlers.handle(
          action,
          context,
          () ->
              context
                  .transaction()
                  .execute(
                      "INSERT INTO counted (message_id, amount) VALUES (?, ?)",
                      context.id().value(),
                      count(context.connection(), context.id().value())));
    }

    /** Returns the change of the counter; on average more is asked for than is added. */
    private long count(Connection connection, long id) {
      return switch ((int) (id % 4)) {
        case 0 -> taken(connection, 1 + id % MOST_TAKEN);
        case 1 -> -counter.takeUpTo(connection, FaultTopics.COUNTED, 1 + id % MOST_TAKEN);
        case 2 -> taken(connection, FaultTopics.NEVER_THERE);
        default -> {
          long amount = 1 + id % MOST_ADDED;
          counter.add(connection, FaultTopics.COUNTED, amount);
          yield amount;
        }
      };
    }

    private long taken(Connection connection, long amount) {
      return counter.take(connection, FaultTopics.COUNTED, amount) ? -amount : 0;
    }
  }

  /** Reads the second version of the payload, and writes what it has read. */
  static final class Upcast implements MessageHandler<Action.Version2> {
    @Override
    public void handle(Action.Version2 action, HandlerContext context) throws SQLException {
      Handlers.handle(
          action.asAction(),
          context,
          () ->
              context
                  .transaction()
                  .execute(
                      "INSERT INTO upcast (message_id, ending, size) VALUES (?, ?, ?)",
                      context.id().value(),
                      action.ending().name(),
                      action.size()));
    }
  }

  /** Reports progress, and honors a cancellation request between its effect and its end. */
  static final class Encrypted implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      HandlingJournal.around(
          context,
          () -> {
            context.progress(1, 2, "before its effect");
            writeEffect(context);
            if (context.isCancelRequested()) {
              throw new CancelMessage("between its effect and its end");
            }
            context.progress(2, 2, "behind its effect");
            work(action, context);
          });
    }
  }

  /** Extends its timeout and takes longer; an interrupt or a cancellation request ends it early. */
  static final class LongRunning implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      HandlingJournal.around(
          context,
          () -> {
            context.extendTimeout(FaultTopics.LONGEST);
            writeEffect(context);
            takeLong(context);
            end(action, context);
          });
    }

    private static void takeLong(HandlerContext context) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(FaultTopics.LONG_MILLIS);
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        if (Thread.currentThread().isInterrupted()) {
          throw new IllegalStateException("interrupted before it was done");
        }
        if (context.isCancelRequested()) {
          throw new CancelMessage("before it was done");
        }
        LockSupport.parkNanos(Math.min(left, CHECK_EVERY_NANOS));
      }
    }
  }

  private static void end(Action action, HandlerContext context) throws SQLException {
    boolean firstClaim = context.claimNumber() == 1;
    switch (action.ending()) {
      case SUCCEED -> {}
      case FAIL -> throw new IllegalStateException("every attempt fails");
      case REJECT -> throw new PermanentFailure("every attempt fails permanently");
      case REJECT_ONCE -> {
        if (firstClaim) {
          throw new PermanentFailure("not before it is redriven");
        }
      }
      case KILL -> Runtime.getRuntime().halt(KILLED);
      case RELEASE -> {
        if (firstClaim) {
          throw new ReleaseMessage(Duration.ZERO, "not now");
        }
      }
      default -> {
        if (context.attempt() == 1) {
          misbehave(action.ending(), context);
        }
      }
    }
  }

  private static void misbehave(Action.Ending ending, HandlerContext context) throws SQLException {
    switch (ending) {
      case ERROR -> throw new StackOverflowError("thrown on purpose");
      case HANG -> hang();
      case CLOSE -> context.connection().close();
      case COMMIT -> context.connection().commit();
      case ROLL_BACK -> context.connection().rollback();
      case LEAK -> leak(context.connection());
      case SWALLOW_TIMEOUT -> swallow(context.connection(), "HY000", 1205);
      case SWALLOW_DEADLOCK -> swallow(context.connection(), "40001", 1213);
      case LEAVE_CHANGES -> leaveChanges(context.connection());
      default -> throw new IllegalStateException("the first attempt fails");
    }
  }

  /** Interrupts only wake it up. */
  private static void hang() {
    long end = System.nanoTime() + HANGING.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      boolean interrupted = Thread.interrupted();
      LOG.debug("hangs on, interrupted: {}", interrupted);
    }
  }

  /**
   * Keeps this connection for the next handling that leaks, and writes on the one that was kept,
   * whose handling is over: it must be refused.
   */
  private static void leak(Connection now) {
    Connection before = LEAKED.getAndSet(now);
    if (before == null) {
      return;
    }
    try (Statement statement = before.createStatement()) {
      statement.execute("INSERT INTO effect (message_id, claim, pid) VALUES (-1, 0, 0)");
    } catch (SQLException e) {
      return;
    }
    throw new IllegalStateException("a connection outlived its handling");
  }

  /** Whoever has this session next, RowQueue's own statements included, would find no row. */
  private static void leaveChanges(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION sql_select_limit = 0");
      statement.execute("SET SESSION time_zone = '+05:00'");
      statement.execute("SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
    }
    MDC.clear();
    Thread.currentThread().setName("left behind");
    Thread.currentThread().interrupt();
  }

  /** The server's own error as a handler meets it. */
  private static void swallow(Connection connection, String state, int code) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SIGNAL SQLSTATE '" + state + "' SET MYSQL_ERRNO = " + code);
    } catch (SQLException e) {
      if (e.getErrorCode() != code) {
        throw e;
      }
    }
  }
}
