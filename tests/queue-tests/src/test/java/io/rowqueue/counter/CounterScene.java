package io.rowqueue.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Isolation;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;

public final class CounterScene {

  public static final int WRITERS = 16;
  public static final String TEA = "stock/tea";

  private CounterScene() {}

  public static void make(
      QueueDatabase database, ShardedCounter counter, String name, int slots, long amount)
      throws SQLException {
    try (Connection connection = open(database)) {
      assertThat(counter.make(connection, name, slots)).isTrue();
      if (amount > 0) {
        counter.add(connection, name, amount);
      }
      connection.commit();
    }
  }

  public static long sum(QueueDatabase database, ShardedCounter counter, String name)
      throws SQLException {
    try (Connection connection = open(database)) {
      return counter.sum(connection, name);
    }
  }

  /** Sixteen writers at once: a deadlock (1213) of one of them fails the test. */
  public static void write(QueueDatabase database, int isolation, Consumer<Connection> work)
      throws Exception {
    Threads.run(
        WRITERS,
        () -> {
          try (Connection connection = open(database)) {
            Isolation.set(connection, isolation);
            work.accept(connection);
          }
        });
  }

  public static Connection open(QueueDatabase database) throws SQLException {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  public static void again(Connection connection, Consumer<Connection> work) {
    while (true) {
      try {
        work.accept(connection);
        commit(connection);
        return;
      } catch (CounterException e) {
        rollback(connection);
        if (!TransientFailures.isTransient(e)) {
          throw e;
        }
      }
    }
  }

  public static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
