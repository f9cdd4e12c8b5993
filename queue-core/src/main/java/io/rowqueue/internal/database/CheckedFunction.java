package io.rowqueue.internal.database;

import java.sql.SQLException;

/**
 * A function that may throw an {@link SQLException}.
 *
 * @param <T> its argument
 * @param <R> its result
 */
@FunctionalInterface
public interface CheckedFunction<T, R> {

  /** Applies it to {@code value}. */
  R apply(T value) throws SQLException;
}
