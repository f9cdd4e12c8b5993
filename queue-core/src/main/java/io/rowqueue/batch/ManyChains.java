package io.rowqueue.batch;

import io.rowqueue.message.Topic;
import io.rowqueue.wakeup.PendingRing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Several chains that one transaction moves on: of a group of acks each may be a chain's. What is
 * four statements for one, by {@link ChainRows}, is four for all of them here; only a long step
 * goes by itself, since it would come to this process and back. Confined to a transaction's thread.
 */
final class ManyChains {

  /** With {@link #LONG} a few megabytes, which every server takes in one statement. */
  private static final int CHUNK = 200;

  /** A step with so many bytes of headers and payload stays in the server. */
  private static final int LONG = 16 << 10;

  private static final String NEXT =
      "SELECT s.chain_id, s.step, s.topic, s.priority, s.delay_micros, s.headers,"
          + " IF(LENGTH(s.payload) < ?, s.payload, NULL) FROM (SELECT chain_id, MIN(step) AS step"
          + " FROM queue_chain_step FORCE INDEX (PRIMARY) WHERE chain_id IN (%s) GROUP BY chain_id)"
          + " next STRAIGHT_JOIN queue_chain_step s FORCE INDEX (PRIMARY) ON s.chain_id ="
          + " next.chain_id AND s.step = next.step ORDER BY s.chain_id FOR UPDATE";

  private static final String ENQUEUE =
      "INSERT INTO queue_message (topic, priority, state, due_at, headers, payload, batch_id)"
          + " VALUES %s";

  private static final String ROW =
      "(?, ?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, ?, ?, ?)";

  private static final String DELETE_STEPS =
      "DELETE s FROM queue_chain_step s FORCE INDEX (PRIMARY) WHERE %s";

  private static final String STEP = "(s.chain_id = ? AND s.step = ?)";

  private static final String MOVE =
      "UPDATE queue_chain FORCE INDEX (PRIMARY) SET message_id = CASE id%s END WHERE id IN (%s)";

  private static final String LOCK =
      "SELECT batch_id FROM queue_chain FORCE INDEX (PRIMARY) WHERE id IN (%s) AND batch_id IS NOT"
          + " NULL ORDER BY id FOR UPDATE";

  private static final String DELETE =
      "DELETE c FROM queue_chain c FORCE INDEX (PRIMARY) WHERE c.id IN (%s)";

  private final Connection connection;
  private final @Nullable PendingRing ring;
  private final ChainRows each;

  ManyChains(Connection connection, @Nullable PendingRing ring, ChainRows each) {
    this.connection = connection;
    this.ring = ring;
    this.each = each;
  }

  /**
   * Enqueues the next step of each chain that has one, and deletes the others.
   *
   * @param acked headers that are carried on, by the chains' ids
   * @return the leaves of which those that have ended were members
   */
  List<Long> advance(SortedMap<Long, Map<String, String>> acked) throws SQLException {
    List<Long> leaves = new ArrayList<>();
    List<Long> chains = List.copyOf(acked.keySet());
    for (int from = 0; from < chains.size(); from += CHUNK) {
      List<Long> chunk = chains.subList(from, Math.min(chains.size(), from + CHUNK));
      leaves.addAll(advance(chunk, acked));
    }
    return leaves;
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
      if (ring != null && step.delayMicros == 0) {
        ring.note(new Topic(step.topic), 1);
      }
    }
    return end(chains.stream().filter(chain -> !steps.containsKey(chain)).toList());
  }

  private SortedMap<Long, Next> next(List<Long> chains, Map<Long, Map<String, String>> carried)
      throws SQLException {
    SortedMap<Long, Next> steps = new TreeMap<>();
    String next = NEXT.formatted(LeafRows.marks(chains.size()));
    try (PreparedStatement select = connection.prepareStatement(next)) {
      select.setInt(1, LONG);
      LeafRows.bind(select, 2, chains);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          Next step = Next.of(row, carried);
          steps.put(step.chain, step);
        }
      }
    }
    return steps;
  }

  /** Tells the messages' ids by their chains'. */
  private Map<Long, Long> enqueue(List<Next> steps) throws SQLException {
    String rows = String.join(", ", Collections.nCopies(steps.size(), ROW));
    try (PreparedStatement insert =
        connection.prepareStatement(ENQUEUE.formatted(rows), Statement.RETURN_GENERATED_KEYS)) {
      int parameter = 1;
      for (Next step : steps) {
        parameter = step.bind(insert, parameter);
      }
      insert.executeUpdate();
      Map<Long, Long> messages = new TreeMap<>();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        for (Next step : steps) {
          keys.next();
          messages.put(step.chain, keys.getLong(1));
        }
      }
      return messages;
    }
  }

  private void deleteSteps(List<Next> steps) throws SQLException {
    String which = String.join(" OR ", Collections.nCopies(steps.size(), STEP));
    try (PreparedStatement delete =
        connection.prepareStatement(DELETE_STEPS.formatted(which))) {
      int parameter = 1;
      for (Next step : steps) {
        delete.setLong(parameter++, step.chain);
        delete.setInt(parameter++, step.step);
      }
      delete.executeUpdate();
    }
  }

  private void move(Map<Long, Long> messages) throws SQLException {
    int count = messages.size();
    String move = MOVE.formatted(" WHEN ? THEN ?".repeat(count), LeafRows.marks(count));
    try (PreparedStatement update = connection.prepareStatement(move)) {
      int parameter = 1;
      for (Map.Entry<Long, Long> message : messages.entrySet()) {
        update.setLong(parameter++, message.getKey());
        update.setLong(parameter++, message.getValue());
      }
      LeafRows.bind(update, parameter, messages.keySet());
      update.executeUpdate();
    }
  }

  private List<Long> end(List<Long> chains) throws SQLException {
    if (chains.isEmpty()) {
      return List.of();
    }
    String marks = LeafRows.marks(chains.size());
    List<Long> leaves = leaves(LOCK.formatted(marks), chains);
    try (PreparedStatement delete = connection.prepareStatement(DELETE.formatted(marks))) {
      LeafRows.bind(delete, 1, chains);
      delete.executeUpdate();
    }
    return leaves;
  }

  private List<Long> leaves(String lock, List<Long> chains) throws SQLException {
    List<Long> leaves = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(lock)) {
      LeafRows.bind(select, 1, chains);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          leaves.add(row.getLong(1));
        }
      }
    }
    return leaves;
  }

  /**
   * The next step of a chain.
   *
   * @param payload null where it stays in the server
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
          ChainRows.headers(row.getString(6), carried.getOrDefault(chain, Map.of())),
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
      insert.setString(first + 4, headers);
      insert.setBytes(first + 5, payload);
      insert.setLong(first + 6, -chain);
      return first + 7;
    }
  }
}
