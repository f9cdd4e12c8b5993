package io.rowqueue.internal.batch;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.GeneratedIds;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.Utf8Text;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Advances several chains in one transaction, for a group of acks that may each belong to a chain.
 * {@link ChainRows} takes four statements per chain; this takes four for all of them. A long step
 * is copied by itself within the server, so that it is not sent to this process and back.
 *
 * <p>Rows are locked by joins with a list that the statement carries, in ascending order, and not
 * by {@code IN} lists: if MySQL believes that a table is almost empty, it reads all of it for a
 * list, and waits for rows that other groups have locked. Two such groups deadlocked at the end of
 * a drain. Confined to a transaction's thread.
 */
final class ManyChains {

  /** With {@link #LONG} this limits a statement to a few megabytes, which every server accepts. */
  private static final int CHUNK = 200;

  /** A step with this many bytes of headers or payload is copied within the server. */
  private static final int LONG = 16 << 10;

  private static final String PAIRS =
      "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$[0]', its BIGINT PATH '$[1]')) k"
          + " STRAIGHT_JOIN";

  private static final String NEXT =
      "SELECT s.chain_id, s.step, s.topic, s.priority, s.delay_micros, CAST(s.headers AS BINARY),"
          + " IF(LENGTH(s.payload) < ?, s.payload, NULL) FROM (SELECT chain_id, MIN(step) AS step"
          + " FROM queue_chain_step FORCE INDEX (PRIMARY) WHERE chain_id IN (%s) GROUP BY chain_id)"
          + " k STRAIGHT_JOIN queue_chain_step s FORCE INDEX (PRIMARY) ON s.chain_id = k.chain_id"
          + " AND s.step = k.step FOR UPDATE";

  private static final String ENQUEUE =
      "INSERT INTO queue_message (topic, priority, state, due_at, headers, payload, batch_id)"
          + " VALUES ";

  /** The topic is never NULL. */
  private static final String ROW =
      "(%s, ?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, " + Utf8Text.PARAMETER + ", ?, ?)";

  private static final String DELETE_STEPS =
      "DELETE s FROM "
          + PAIRS
          + " queue_chain_step s FORCE INDEX (PRIMARY) ON s.chain_id = k.id AND s.step = k.its";

  private static final String MOVE =
      "UPDATE "
          + PAIRS
          + " queue_chain c FORCE INDEX (PRIMARY) ON c.id = k.id SET c.message_id = k.its";

  private static final String LOCK =
      "SELECT c.batch_id FROM (SELECT id FROM queue_chain FORCE INDEX (PRIMARY) WHERE id IN (%s)"
          + " GROUP BY id) k STRAIGHT_JOIN queue_chain c FORCE INDEX (PRIMARY) ON c.id = k.id FOR"
          + " UPDATE";

  private static final String DELETE =
      "DELETE c FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) k STRAIGHT_JOIN"
          + " queue_chain c FORCE INDEX (PRIMARY) ON c.id = k.id";

  private final Connection connection;
  private final @Nullable AfterCommit afterCommit;
  private final ChainRows each;

  ManyChains(Connection connection, @Nullable AfterCommit afterCommit, ChainRows each) {
    this.connection = connection;
    this.afterCommit = afterCommit;
    this.each = each;
  }

  /**
   * Enqueues the next step of each chain that has one, and deletes the others.
   *
   * @param acked headers to carry on, by chain id
   * @return the batch shards of which the deleted chains were members
   */
  List<Long> advance(SortedMap<Long, Map<String, String>> acked) throws SQLException {
    List<Long> shards = new ArrayList<>();
    List<Long> chains = List.copyOf(acked.keySet());
    for (int from = 0; from < chains.size(); from += CHUNK) {
      List<Long> chunk = chains.subList(from, Math.min(chains.size(), from + CHUNK));
      shards.addAll(advance(chunk, acked));
    }
    return shards;
  }

  private List<Long> advance(List<Long> chains, Map<Long, Map<String, String>> carried)
      throws SQLException {
    SortedMap<Long, Next> steps = next(chains, carried);
    List<Next> together = steps.values().stream().filter(Next::isShort).toList();
    if (!together.isEmpty()) {
      Map<Long, Long> messages = enqueue(together);
      deleteSteps(together);
      move(messages);
    }
    for (Next step : steps.values()) {
      if (!step.isShort()) {
        each.enqueue(step.chain, step.step, step.headers);
      }
      if (afterCommit != null && step.delayMicros == 0) {
        afterCommit.onEnqueued(new Topic(step.topic), 1);
      }
    }
    return end(chains.stream().filter(chain -> !steps.containsKey(chain)).toList());
  }

  private SortedMap<Long, Next> next(List<Long> chains, Map<Long, Map<String, String>> carried)
      throws SQLException {
    SortedMap<Long, Next> steps = new TreeMap<>();
    String next = NEXT.formatted(Jdbc.marks(chains.size()));
    Jdbc.rows(connection, next, row -> Next.of(row, carried), LONG, chains)
        .forEach(step -> steps.put(step.chain, step));
    return steps;
  }

  /** Returns the messages' ids by chain id. */
  private Map<Long, Long> enqueue(List<Next> steps) throws SQLException {
    GeneratedIds generated = new GeneratedIds(connection);
    String first = generated.firstParameter(steps.size());
    String rows = ROW.formatted(first) + (", " + ROW.formatted("?")).repeat(steps.size() - 1);
    try (PreparedStatement insert =
        connection.prepareStatement(ENQUEUE + rows, Statement.RETURN_GENERATED_KEYS)) {
      int parameter = 1;
      for (Next step : steps) {
        parameter = step.bind(insert, parameter);
      }
      insert.executeUpdate();
      List<Long> ids = generated.of(insert, steps.size());
      Map<Long, Long> messages = new TreeMap<>();
      for (int i = 0; i < ids.size(); i++) {
        messages.put(steps.get(i).chain, ids.get(i));
      }
      return messages;
    }
  }

  private void deleteSteps(List<Next> steps) throws SQLException {
    execute(
        DELETE_STEPS, steps.stream().map(step -> List.of(step.chain, (long) step.step)).toList());
  }

  private void move(Map<Long, Long> messages) throws SQLException {
    execute(
        MOVE,
        messages.entrySet().stream()
            .map(message -> List.of(message.getKey(), message.getValue()))
            .toList());
  }

  private List<Long> end(List<Long> chains) throws SQLException {
    if (chains.isEmpty()) {
      return List.of();
    }
    List<Long> shards = shardsOf(chains);
    execute(DELETE, chains);
    return shards;
  }

  private List<Long> shardsOf(List<Long> chains) throws SQLException {
    String lock = LOCK.formatted(Jdbc.marks(chains.size()));
    return Jdbc.rows(connection, lock, row -> row.getLong(1), chains).stream()
        .filter(shard -> shard != 0)
        .toList();
  }

  /** A list of numbers, or of lists of numbers, is valid JSON in Java's own format. */
  private void execute(String sql, List<?> numbers) throws SQLException {
    Jdbc.update(connection, sql, numbers.toString());
  }

  /**
   * The next step of a chain.
   *
   * @param payload null if it is copied within the server
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Next(
      long chain,
      int step,
      String topic,
      int priority,
      long delayMicros,
      @Nullable String headers,
      byte @Nullable [] payload) {

    static Next of(ResultSet row, Map<Long, Map<String, String>> carried) throws SQLException {
      long chain = row.getLong(1);
      return new Next(
          chain,
          row.getInt(2),
          row.getString(3),
          row.getInt(4),
          row.getLong(5),
          ChainRows.headers(Utf8Text.read(row, 6), carried.getOrDefault(chain, Map.of())),
          row.getBytes(7));
    }

    boolean isShort() {
      return payload != null && (headers == null || headers.length() < LONG);
    }

    int bind(PreparedStatement insert, int first) throws SQLException {
      insert.setString(first, topic);
      insert.setInt(first + 1, priority);
      insert.setInt(first + 2, delayMicros > 0 ? 2 : 0);
      insert.setLong(first + 3, delayMicros);
      Utf8Text.bind(insert, first + 4, headers);
      insert.setBytes(first + 5, payload);
      insert.setLong(first + 6, -chain);
      return first + 7;
    }
  }
}
