package io.rowqueue.proof.fault.plugin;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.handle.ReleaseMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How handlings end, well or badly. */
final class Endings {

  /** Longer than any handler timeout of the harness. */
  private static final Duration HANGING = Duration.ofSeconds(6);

  private static final int KILLED = 137;
  private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

  private static final AtomicReference<@Nullable Connection> LEAKED = new AtomicReference<>();

  private Endings() {}

  static void end(Deed deed, HandlerContext context) throws SQLException {
    boolean first = context.attempt() == 1;
    switch (deed.what()) {
      case SUCCEED -> {}
      case FAIL -> throw new IllegalStateException("every attempt fails");
      case REJECT -> throw new PermanentFailure("no attempt can end well");
      case REJECT_ONCE -> rejectOnce(context);
      case KILL -> Runtime.getRuntime().halt(KILLED);
      case GIVE_BACK -> giveBack(context);
      default -> {
        if (first) {
          firstAttempt(deed.what(), context);
        }
      }
    }
  }

  private static void rejectOnce(HandlerContext context) {
    if (context.claimNumber() == 1) {
      throw new PermanentFailure("not before it is redriven");
    }
  }

  private static void giveBack(HandlerContext context) {
    if (context.claimNumber() == 1) {
      throw new ReleaseMessage(Duration.ZERO, "not now");
    }
  }

  private static void firstAttempt(Deed.What what, HandlerContext context) throws SQLException {
    switch (what) {
      case ERROR -> throw new StackOverflowError("thrown on purpose");
      case HANG -> hang();
      case CLOSE -> context.connection().close();
      case COMMIT -> context.connection().commit();
      case ROLL_BACK -> context.connection().rollback();
      case LEAK -> leak(context.connection());
      case SWALLOW_TIMEOUT -> swallow(context.connection(), "HY000", 1205);
      case SWALLOW_DEADLOCK -> swallow(context.connection(), "40001", 1213);
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
   * Keeps this connection for the next one that leaks, and writes over the one that is kept, whose
   * handling is over: it must be refused.
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
