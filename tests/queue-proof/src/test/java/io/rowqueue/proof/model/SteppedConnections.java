package io.rowqueue.proof.model;

import io.rowqueue.proof.model.HandlerSteps.Crash;
import io.rowqueue.testkit.QueueDatabase;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections on which the server's clock stands still until it is told to move. Both servers let a
 * session set its {@code timestamp}, and UTC_TIMESTAMP and UTC_DATE heed it, in statements and in
 * column defaults; so leases and due times need neither waiting nor rows that are pushed about.
 *
 * <p>One thread at a time uses them: the play's, or a handler's while the play waits for it.
 */
final class SteppedConnections implements AutoCloseable {

  private final QueueDatabase database;
  private final Deque<Physical> idle = new ArrayDeque<>();
  private final List<Physical> lent = new ArrayList<>();
  private long seconds = Times.BEGIN_SECONDS;

  SteppedConnections(QueueDatabase database) {
    this.database = database;
  }

  /** Gives connections with auto-commit off that go back when they are closed. */
  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getConnection" -> lend();
              case "hashCode" -> System.identityHashCode(self);
              case "equals" -> self == arguments[0];
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  /** Sets the clock of all connections, those with an open transaction included. */
  synchronized void setClock(long micros) throws SQLException {
    seconds = Times.BEGIN_SECONDS + micros / 1_000_000;
    for (Physical connection : lent) {
      connection.setClock(seconds);
    }
  }

  synchronized Connection lend() throws SQLException {
    if (Thread.currentThread() instanceof HandlerThread handler && handler.hasCrashed()) {
      throw new Crash();
    }
    Physical physical = idle.isEmpty() ? new Physical(database.connect()) : idle.pop();
    physical.setClock(seconds);
    lent.add(physical);
    return physical.lentOut();
  }

  private synchronized void takeBack(Physical physical) throws SQLException {
    if (lent.remove(physical)) {
      physical.endTransaction();
      idle.push(physical);
    }
  }

  @Override
  public synchronized void close() throws SQLException {
    List<Physical> all = new ArrayList<>(lent);
    all.addAll(idle);
    for (Physical physical : all) {
      physical.real.close();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            SteppedConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** A real connection, and what is known of its session. */
  private final class Physical {

    private final Connection real;
    private long clock = Long.MIN_VALUE;
    private boolean inTransaction;

    Physical(Connection real) throws SQLException {
      this.real = real;
      real.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      real.setAutoCommit(false);
      // No step of the play may wait for another; where one does, it shall be seen.
      execute("SET SESSION innodb_lock_wait_timeout = 1");
      real.rollback();
    }

    void setClock(long to) throws SQLException {
      if (clock != to) {
        execute("SET timestamp = " + to);
        clock = to;
      }
    }

    /** Whoever crashed left it to the server to roll back. */
    void endTransaction() throws SQLException {
      if (inTransaction) {
        real.rollback();
        inTransaction = false;
      }
    }

    private void execute(String sql) throws SQLException {
      try (Statement statement = real.createStatement()) {
        statement.execute(sql);
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
        case "commit", "rollback" -> inTransaction = false;
        case "prepareStatement", "createStatement" -> inTransaction = true;
        default -> {}
      }
      try {
        return method.invoke(real, arguments);
      } catch (InvocationTargetException e) {
        throw e.getTargetException();
      }
    }
  }
}
