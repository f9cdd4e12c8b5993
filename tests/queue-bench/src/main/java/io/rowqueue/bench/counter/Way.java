package io.rowqueue.bench.counter;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** A way to keep a hot value. Thread-safe. */
interface Way {

  /** Makes the value anew, spread as evenly as it can be. */
  void make(QueueDatabase database, long amount) throws SQLException;

  /** Takes one; false if there is none. */
  boolean take(Connection transaction) throws SQLException;

  /** Adds so many. */
  void add(Connection transaction, long amount) throws SQLException;

  /** What there is. */
  long sum(QueueDatabase database);
}
