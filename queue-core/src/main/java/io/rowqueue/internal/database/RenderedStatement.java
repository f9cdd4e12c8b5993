package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.jooq.Query;

/**
 * A statement that is rendered by jOOQ once and sent by JDBC, because it runs for every message, or
 * with hundreds of ids. Building and rendering it each time took longer than everything else that a
 * worker does between two replies of the server (a drain of 60,000 messages on two cores, by a
 * sampling profiler: 60 % of the handler threads' and half of the claimer's time in Java). The text
 * is cached per number of parameters; for ids, per power of two. Thread-safe.
 */
public final class RenderedStatement {

  private final ServerDialect dialect;
  private final IntFunction<Query> query;
  private final Map<Integer, String> texts = new ConcurrentHashMap<>();

  /**
   * A statement for servers of {@code dialect}.
   *
   * @param query the statement for a given number of parameters
   */
  public RenderedStatement(ServerDialect dialect, IntFunction<Query> query) {
    this.dialect = dialect;
    this.query = query;
  }

  /**
   * The statement for {@code count} parameters; the caller binds them in the order of the text, and
   * closes it.
   */
  public PreparedStatement prepare(Connection connection, int count) throws SQLException {
    return connection.prepareStatement(texts.computeIfAbsent(count, this::render));
  }

  /**
   * Runs an update.
   *
   * @param count the number of parameters that {@code query} was given
   * @param parameters in the order of the text
   * @return how many rows it has changed
   */
  public int update(Connection connection, int count, List<?> parameters) throws SQLException {
    try (PreparedStatement statement = prepare(connection, count)) {
      bindAll(statement, parameters);
      return statement.executeUpdate();
    }
  }

  /**
   * Runs a query.
   *
   * @param count the number of parameters that {@code query} was given
   * @param parameters in the order of the text
   * @param row reads one row
   */
  public <T> List<T> query(
      Connection connection, int count, List<?> parameters, CheckedFunction<ResultSet, T> row)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, count)) {
      bindAll(statement, parameters);
      List<T> read = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          read.add(row.apply(rows));
        }
      }
      return read;
    }
  }

  private static void bindAll(PreparedStatement statement, List<?> parameters) throws SQLException {
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(i + 1, parameters.get(i));
    }
  }

  /** Repeats the last of {@code values} up to a power of two, so that there are few texts. */
  public static <T> List<T> padded(List<T> values) {
    List<T> padded = new ArrayList<>(values);
    while (padded.size() < capacity(values.size())) {
      padded.add(values.get(values.size() - 1));
    }
    return padded;
  }

  /** The statement for at least {@code ids} ids, which are bound by {@link #bind}. */
  public PreparedStatement prepareForIds(Connection connection, int ids) throws SQLException {
    return prepare(connection, capacity(ids));
  }

  /**
   * Binds ids from parameter {@code first} on, and repeats the last one for the remaining
   * parameters.
   *
   * @param ids in the order in which their rows must be locked; at least one
   * @return the parameter after them
   */
  public static int bind(PreparedStatement statement, int first, List<Long> ids)
      throws SQLException {
    int capacity = capacity(ids.size());
    for (int i = 0; i < capacity; i++) {
      statement.setLong(first + i, ids.get(Math.min(i, ids.size() - 1)));
    }
    return first + capacity;
  }

  /**
   * Rounded up, so that there are few texts, and the driver and the server keep all of them
   * prepared.
   */
  private static int capacity(int ids) {
    return ids < 2 ? 1 : Integer.highestOneBit(ids - 1) << 1;
  }

  private String render(int count) {
    return JooqSettings.render(query.apply(count), dialect);
  }
}
