package io.rowqueue.worker.internal.cli;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.NewMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Where the chunks of a file go. Not thread-safe. */
interface BulkTarget extends AutoCloseable {

  /** Writes one chunk. */
  void write(List<NewMessage> chunk);

  /** Everything is written. */
  void finish();

  /** Whether what was written stays, if a later chunk fails. */
  boolean keepsChunks();

  /** Undoes what is neither committed nor lost. */
  @Override
  void close();

  /** Each chunk in a transaction of its own. */
  static BulkTarget oneTransactionEach(Sending sending, DataSource dataSource) {
    return new BulkTarget() {
      @Override
      public void write(List<NewMessage> chunk) {
        sending.all(dataSource, chunk);
      }

      @Override
      public void finish() {}

      @Override
      public boolean keepsChunks() {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  /** All chunks in one transaction. */
  static BulkTarget oneTransaction(Sending sending, DataSource dataSource) {
    try {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      return new OneTransaction(sending, connection);
    } catch (SQLException e) {
      throw new EnqueueException("no transaction could be begun: " + e.getMessage(), e);
    }
  }

  /** Everything on one connection, until {@link #finish} commits. */
  final class OneTransaction implements BulkTarget {

    private final Sending sending;
    private final Connection connection;

    OneTransaction(Sending sending, Connection connection) {
      this.sending = sending;
      this.connection = connection;
    }

    @Override
    public void write(List<NewMessage> chunk) {
      sending.all(connection, chunk);
    }

    @Override
    public void finish() {
      try {
        connection.commit();
      } catch (SQLException e) {
        throw new EnqueueOutcomeUnknownException(
            "the commit was not answered (%s)".formatted(e.getMessage()), e);
      }
    }

    @Override
    public boolean keepsChunks() {
      return false;
    }

    /** The server rolls back what was not committed when the connection ends. */
    @Override
    public void close() {
      try (connection) {
        connection.rollback();
      } catch (SQLException e) {
        // The connection is lost, and the transaction with it.
        return;
      }
    }
  }
}
