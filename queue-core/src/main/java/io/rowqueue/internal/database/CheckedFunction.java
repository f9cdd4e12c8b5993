package io.rowqueue.internal.database;

import java.sql.SQLException;

/**
 * A function that uses a connection.
 *
 * @param <T> what it takes
 * @param <R> what it returns
 */
@FunctionalInterface
public interface CheckedFunction<T, R> {

  /** Applies it to {@code value}. */
  R apply(T value) throws SQLException;
}
