package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A read by JDBC, outside any transition.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface ConnectionFunction<T> {

  /** Reads over {@code connection}, and leaves its state unchanged. */
  T over(Connection connection) throws SQLException;
}
