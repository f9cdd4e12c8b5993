package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jooq.Query;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * A statement that jOOQ writes and JDBC sends, because it is sent for every message, or for
 * hundreds of ids at once: to build and render it each time took longer than everything else that a
 * worker does between two answers of the server (a drain of 60,000 messages on two cores, by a
 * sampling profiler: 60 % of the handler threads' and half of the claimer's time in Java). Its text
 * is kept for each number of things that it names; of ids, for each power of two. Thread-safe.
 */
public final class RenderedStatement {

  private final SQLDialect dialect;
  private final IntFunction<Query> query;
  private final Map<Integer, String> texts = new ConcurrentHashMap<>();

  /**
   * A statement for servers of {@code dialect}.
   *
   * @param query the statement that names so many things
   */
  public RenderedStatement(SQLDialect dialect, IntFunction<Query> query) {
    this.dialect = dialect;
    this.query = query;
  }

  /**
   * Its form that names {@code count} things; the caller binds its parameters in the order of the
   * text, and closes it.
   */
  public PreparedStatement prepare(Connection connection, int count) throws SQLException {
    return connection.prepareStatement(texts.computeIfAbsent(count, this::render));
  }

  /** Its form that has room for {@code ids} ids, which are bound by {@link #bind}. */
  public PreparedStatement prepareForIds(Connection connection, int ids) throws SQLException {
    return prepare(connection, capacity(ids));
  }

  /**
   * Binds ids from parameter {@code first} on; where there is room for more, the last one again.
   *
   * @param ids in the order in which their rows are to be locked; at least one
   * @return the parameter behind them
   */
  public static int bind(PreparedStatement statement, int first, List<Long> ids)
      throws SQLException {
    int capacity = capacity(ids.size());
    for (int i = 0; i < capacity; i++) {
      statement.setLong(first + i, ids.get(Math.min(i, ids.size() - 1)));
    }
    return first + capacity;
  }

  /** Few texts, so that the driver and the server keep them all prepared. */
  private static int capacity(int ids) {
    return ids < 2 ? 1 : Integer.highestOneBit(ids - 1) << 1;
  }

  private String render(int count) {
    return DSL.using(dialect, Transactions.SETTINGS).render(query.apply(count));
  }
}
