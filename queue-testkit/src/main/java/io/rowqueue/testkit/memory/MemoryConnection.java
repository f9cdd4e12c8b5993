package io.rowqueue.testkit.memory;

import java.sql.SQLException;
import java.sql.Savepoint;
import org.jooq.tools.jdbc.MockConnection;

/** A connection of which the commit and the rollback are real, and nothing else. */
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
