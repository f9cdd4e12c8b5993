package io.rowqueue.testkit.internal.memory;

import java.lang.reflect.Proxy;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.util.concurrent.Executor;
import org.jooq.tools.jdbc.MockConnection;

/** A connection that supports only commit and rollback. */
final class MemoryConnection extends MockConnection {

  private final MemoryTransaction transaction;
  private boolean autoCommit = true;
  private int savepoints;

  MemoryConnection(MemoryTransaction transaction) {
    super(transaction);
    this.transaction = transaction;
  }

  @Override
  public void setAutoCommit(boolean on) throws SQLException {
    if (on && !autoCommit) {
      commit();
    }
    autoCommit = on;
  }

  @Override
  public boolean getAutoCommit() {
    return autoCommit;
  }

  @Override
  public void commit() throws SQLException {
    super.commit();
    transaction.commit();
  }

  @Override
  public void rollback() throws SQLException {
    super.rollback();
    transaction.rollback();
  }

  /** Closing discards uncommitted changes. */
  @Override
  public void close() throws SQLException {
    transaction.rollback();
    super.close();
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    close();
  }

  @Override
  public void setNetworkTimeout(Executor executor, int millis) {}

  /** Provides only a version: MariaDB's, which RowQueue does not check by a query. */
  @Override
  public DatabaseMetaData getMetaData() {
    return (DatabaseMetaData)
        Proxy.newProxyInstance(
            MemoryConnection.class.getClassLoader(),
            new Class<?>[] {DatabaseMetaData.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getDatabaseProductVersion")) {
                return "MariaDB in memory";
              }
              throw new SQLFeatureNotSupportedException(method.getName());
            });
  }

  @Override
  public boolean isValid(int seconds) throws SQLException {
    return !isClosed();
  }

  @Override
  public Savepoint setSavepoint() throws SQLException {
    savepoints++;
    return setSavepoint("jdbc_" + savepoints);
  }

  @Override
  public Savepoint setSavepoint(String name) {
    transaction.savepoint(name);
    return new Named(name);
  }

  @Override
  public void rollback(Savepoint savepoint) throws SQLException {
    transaction.rollbackTo(savepoint.getSavepointName());
  }

  @Override
  public void releaseSavepoint(Savepoint savepoint) throws SQLException {
    transaction.release(savepoint.getSavepointName());
  }

  private record Named(String name) implements Savepoint {

    @Override
    public int getSavepointId() throws SQLException {
      throw new SQLException("it has a name");
    }

    @Override
    public String getSavepointName() {
      return name;
    }
  }
}
