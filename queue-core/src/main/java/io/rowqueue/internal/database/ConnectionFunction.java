package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A read by JDBC, outside any transition.
 *
 * @param <T> what it finds out
 */
@FunctionalInterface
public interface ConnectionFunction<T> {

  /** Reads over {@code connection}, and leaves it as it was. */
  T over(Connection connection) throws SQLException;
}
