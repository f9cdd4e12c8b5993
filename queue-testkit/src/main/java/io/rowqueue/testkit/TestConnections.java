package io.rowqueue.testkit;

import io.rowqueue.internal.database.FreshConnections;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a test's worker: one at a time, with auto-commit off, on the test's clock. The
 * connections of a crashed worker are rolled back, as the server would. Thread-safe.
 */
final class TestConnections implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TestConnections.class);

  private static final int DEADLOCK = 1213;

  private final FreshConnections.Opening opening;
  private final Supplier<@Nullable Long> clock;
  private final Deque<Physical> idle = new ArrayDeque<>();
  private final List<Physical> lent = new ArrayList<>();
  private boolean dead;
  private boolean losesCommitAnswer;
  private boolean deadlocks;

  /** Connects to {@code database}, and stops its clock with the first connection. */
  TestConnections(QueueDatabase database) {
    this(database::connect, () -> database.stopClock().standing());
  }

  /**
   * Connects to another data source.
   *
   * @param clock the sessions' time in microseconds since 1970; null for the server's
   */
  TestConnections(FreshConnections.Opening opening, Supplier<@Nullable Long> clock) {
    this.opening = opening;
    this.clock = clock;
  }

  DataSource dataSource() {
    return new FreshConnections(this::lend);
  }

  /** The next COMMIT succeeds, but its answer is lost. */
  synchronized void loseCommitAnswer() {
    losesCommitAnswer = true;
  }

  /** The next statement, except savepoints, is a deadlock's victim. */
  synchronized void deadlock() {
    deadlocks = true;
  }

  /** Simulates the process's death: from now on no connection is lent, and no statement sent. */
  synchronized Crash die() {
    dead = true;
    return new Crash();
  }

  /** Ignores cleanup by a crashed worker. */
  synchronized void checkAlive() {
    if (dead) {
      throw new Crash();
    }
  }

  /** Simulates a new process without faults. */
  synchronized void comeBack() {
    dead = false;
    losesCommitAnswer = false;
    deadlocks = false;
  }

  private synchronized Connection lend() throws SQLException {
    checkAlive();
    Physical physical = idle.isEmpty() ? new Physical(opening.open()) : idle.pop();
    Long time = clock.get();
    if (time != null) {
      physical.setClock(time);
    }
    lent.add(physical);
    return physical.lentOut();
  }

  private synchronized void takeBack(Physical physical) throws SQLException {
    if (lent.remove(physical)) {
      if (physical.real.isValid(1)) {
        physical.real.rollback();
        idle.push(physical);
      }
    }
  }

  private synchronized boolean takeCommitFault() {
    boolean loses = losesCommitAnswer;
    losesCommitAnswer = false;
    return loses;
  }

  private synchronized boolean takeDeadlock() {
    boolean wanted = deadlocks;
    deadlocks = false;
    return wanted;
  }

  @Override
  public synchronized void close() {
    List<Physical> all = new ArrayList<>(lent);
    all.addAll(idle);
    lent.clear();
    idle.clear();
    for (Physical physical : all) {
      physical.close();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            TestConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object invoke(
      Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  /** A real connection and its session's state. */
  private final class Physical {

    private final Connection real;
    private long clock = Long.MIN_VALUE;

    Physical(Connection real) throws SQLException {
      this.real = real;
      real.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      real.setAutoCommit(false);
    }

    void setClock(long to) throws SQLException {
      if (clock != to) {
        TestClock.set(real, to);
        clock = to;
      }
    }

    void close() {
      try {
        real.close();
      } catch (SQLException e) {
        LOG.debug("a test's connection was closed already: {}", e.getMessage());
      }
    }

    Connection lentOut() {
      return proxy(Connection.class, this::call);
    }

    private @Nullable Object call(Object self, Method method, Object @Nullable [] arguments)
        throws Throwable {
      switch (method.getName()) {
        case "close" -> {
          takeBack(this);
          return null;
        }
        case "commit" -> {
          real.commit();
          if (takeCommitFault()) {
            throw new SQLNonTransientConnectionException(
                "the connection was lost before the COMMIT was answered", "08S01");
          }
          return null;
        }
        default -> {}
      }
      Object result = invoke(real, method, arguments);
      if (result instanceof PreparedStatement statement) {
        String sql = String.valueOf(arguments == null ? "" : arguments[0]);
        return proxy(PreparedStatement.class, (proxy, m, a) -> send(statement, sql, m, a));
      }
      if (result instanceof Statement statement) {
        return proxy(Statement.class, (proxy, m, a) -> send(statement, "", m, a));
      }
      return result;
    }

    private @Nullable Object send(
        Statement statement, String prepared, Method method, Object @Nullable [] arguments)
        throws Throwable {
      String sql = arguments != null && arguments[0] instanceof String text ? text : prepared;
      boolean executes = method.getName().startsWith("execute");
      if (executes && !sql.toUpperCase(Locale.ROOT).contains("SAVEPOINT") && takeDeadlock()) {
        real.rollback();
        throw new SQLTransactionRollbackException(
            "Deadlock found when trying to get lock; try restarting transaction",
            "40001",
            DEADLOCK);
      }
      return invoke(statement, method, arguments);
    }
  }
}
