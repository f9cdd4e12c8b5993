package io.rowqueue.testkit;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Another data source's connections, prepared as a pool would, and counted. */
record ConnectionsOf(DataSource source, Preparation preparation, Counter counter)
    implements DataSource {

  /** What a pool does to a connection before it gives it out. */
  interface Preparation {

    void prepare(Connection connection) throws SQLException;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection real = source.getConnection();
    preparation.prepare(real);
    counter.opened();
    return (Connection)
        Proxy.newProxyInstance(
            ConnectionsOf.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (List.of("close", "abort").contains(method.getName()) && !real.isClosed()) {
                counter.closed();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    return Logger.getGlobal();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return source.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return source.isWrapperFor(type);
  }
}
