package io.rowqueue.bench.counter;

import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** Ours. */
final class Slotted implements Way {

  private static final String NAME = "bench";

  private final SlottedCounter counter = SlottedCounter.create();

  @Override
  public void make(QueueDatabase database, long amount) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      counter.delete(connection, NAME);
      counter.make(connection, NAME, SlottedCounter.SLOTS);
      counter.add(connection, NAME, amount);
      connection.commit();
    }
  }

  @Override
  public boolean take(Connection transaction) {
    return counter.take(transaction, NAME, 1);
  }

  @Override
  public void add(Connection transaction, long amount) {
    counter.add(transaction, NAME, amount);
  }

  @Override
  public long sum(QueueDatabase database) {
    return database.count("SELECT SUM(amount) FROM queue_counter");
  }
}
