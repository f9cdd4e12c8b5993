package io.rowqueue.worker;

import io.rowqueue.internal.database.FreshConnections;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A framework's transactions as its users know them: they belong to a thread, statements find them
 * there, and their connection goes back to its pool with their end.
 */
final class ThreadTransactions {

  private final DataSource pool;

  @SuppressWarnings("ThreadLocalUsage") // Each data source has transactions of its own.
  private final ThreadLocal<@Nullable Open> current = new ThreadLocal<>();

  ThreadTransactions(DataSource pool) {
    this.pool = pool;
  }

  /** Begins a transaction with each connection. */
  DataSource dataSource() {
    return new FreshConnections(this::begin);
  }

  /** A statement of the thread's transaction. */
  void execute(String sql) {
    try (Statement statement = open().connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Has the transaction be refused at its commit. */
  void setRollbackOnly() {
    open().rollbackOnly = true;
  }

  /** Sent when the transaction commits, as a framework writes what it has gathered. */
  void atCommit(String sql) {
    open().atCommit = sql;
  }

  private Open open() {
    return Objects.requireNonNull(current.get(), "no transaction");
  }

  private Connection begin() throws SQLException {
    if (current.get() != null) {
      throw new IllegalStateException("the thread is in a transaction");
    }
    Connection connection = pool.getConnection();
    connection.setAutoCommit(false);
    Open open = new Open(connection);
    current.set(open);
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> invoke(open, method, arguments));
  }

  private @Nullable Object invoke(Open open, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    boolean ends = name.equals("commit") || (name.equals("rollback") && arguments == null);
    if (open.over) {
      if (name.equals("close")) {
        return null;
      }
      throw new IllegalStateException(name + "() after the end of the transaction");
    }
    if (name.equals("close")) {
      throw new IllegalStateException("the transaction has not ended");
    }
    if (!ends) {
      try {
        return method.invoke(open.connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
    if (current.get() != open) {
      throw new IllegalStateException("not the thread that began");
    }
    try {
      end(open, name.equals("commit"));
    } finally {
      open.over = true;
      current.remove();
      open.connection.close();
    }
    return null;
  }

  private void end(Open open, boolean commit) throws SQLException {
    if (!commit || open.rollbackOnly) {
      open.connection.rollback();
      if (commit) {
        throw new IllegalStateException("rolled back, as demanded");
      }
      return;
    }
    if (open.atCommit != null) {
      try {
        execute(open.atCommit);
      } catch (IllegalStateException e) {
        open.connection.rollback();
        throw e;
      }
    }
    open.connection.commit();
  }

  private static final class Open {

    private final Connection connection;
    private boolean rollbackOnly;
    private @Nullable String atCommit;
    private boolean over;

    Open(Connection connection) {
      this.connection = connection;
    }
  }
}
