package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.CheckedFunction;
import io.rowqueue.internal.enqueue.EncodedMessage.GroupPosition;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Inserts messages of which some have ordering keys. Locks the keys' rows first, in ascending
 * order, so that later producers of a key get higher ids. Each message that is due joins its
 * ordering group in the same transaction. The reasons are in {@code
 * docs/internals/decisions/ordering-keys.md}. Uses JDBC for the same reason as {@link
 * MultiRowInsert}.
 */
final class OrderedInsert {

  private static final int CHUNK = 500;

  private static final String READ =
      "SELECT COUNT(*) FROM queue_ordering_lock FORCE INDEX (PRIMARY) WHERE group_id IN (%s)";

  private static final String TOUCH =
      "UPDATE queue_ordering_lock FORCE INDEX (PRIMARY) SET version = version + 1, updated_at ="
          + " UTC_TIMESTAMP(6) WHERE group_id IN (%s)";

  private static final String MAKE_OR_TOUCH =
      "INSERT INTO queue_ordering_lock (group_id, version, updated_at) VALUES %s ON DUPLICATE KEY"
          + " UPDATE version = version + 1, updated_at = UTC_TIMESTAMP(6)";

  private static final String JOIN =
      "INSERT INTO queue_ordering_member (group_id, message_id) VALUES %s";

  private final Connection connection;
  private final CheckedFunction<List<EncodedMessage>, List<Long>> inserting;

  /** Inserts rows by {@code inserting}, which returns ids in the order of its messages. */
  OrderedInsert(
      Connection connection, CheckedFunction<List<EncodedMessage>, List<Long>> inserting) {
    this.connection = connection;
    this.inserting = inserting;
  }

  /** Whether any of {@code messages} has an ordering key. */
  static boolean isFor(List<EncodedMessage> messages) {
    return messages.stream().anyMatch(message -> message.orderingKey() != null);
  }

  /** Inserts {@code messages}; returns the ids in their order. */
  List<Long> insert(List<EncodedMessage> messages) throws SQLException {
    List<@Nullable TopicKeyId> groups = groups(messages);
    Set<TopicKeyId> keys = new TreeSet<>();
    groups.stream().filter(Objects::nonNull).forEach(keys::add);
    if (keys.isEmpty()) {
      return inserting.apply(messages);
    }
    lock(keys);
    List<Long> ids = inserting.apply(placed(messages, groups));
    join(groups, ids);
    return ids;
  }

  /** The ordering group that each message joins now; null without a key or before its due time. */
  private List<@Nullable TopicKeyId> groups(List<EncodedMessage> messages) throws SQLException {
    boolean timed =
        messages.stream().anyMatch(one -> one.orderingKey() != null && one.dueAt() != null);
    LocalDateTime now = timed ? now() : LocalDateTime.MIN;
    List<@Nullable TopicKeyId> groups = new ArrayList<>(messages.size());
    for (EncodedMessage message : messages) {
      String key = message.orderingKey();
      LocalDateTime dueAt = message.dueAt();
      boolean later = message.delayMicros() > 0 || (dueAt != null && dueAt.isAfter(now));
      groups.add(key == null || later ? null : TopicKeyId.of(message.topic(), key));
    }
    return groups;
  }

  private LocalDateTime now() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT UTC_TIMESTAMP(6)")) {
      row.next();
      return row.getObject(1, LocalDateTime.class);
    }
  }

  /** Counts the rows first: in REPEATABLE READ an UPDATE that finds no row locks a gap. */
  private void lock(Set<TopicKeyId> keys) throws SQLException {
    if (count(keys) < keys.size() || !touch(keys)) {
      makeOrTouch(keys);
    }
  }

  private int count(Collection<TopicKeyId> keys) throws SQLException {
    int found = 0;
    for (List<TopicKeyId> chunk : Lists.chunks(keys, CHUNK)) {
      try (PreparedStatement select =
          connection.prepareStatement(READ.formatted(Lists.marks("?", chunk.size())))) {
        Lists.bind(select, 1, chunk);
        try (ResultSet row = select.executeQuery()) {
          row.next();
          found += row.getInt(1);
        }
      }
    }
    return found;
  }

  private boolean touch(Collection<TopicKeyId> keys) throws SQLException {
    return execute(TOUCH, "?", keys) == keys.size();
  }

  private void makeOrTouch(Collection<TopicKeyId> keys) throws SQLException {
    execute(MAKE_OR_TOUCH, "(?, 1, UTC_TIMESTAMP(6))", keys);
  }

  private int execute(String sql, String mark, Collection<TopicKeyId> keys) throws SQLException {
    int rows = 0;
    for (List<TopicKeyId> chunk : Lists.chunks(keys, CHUNK)) {
      try (PreparedStatement statement =
          connection.prepareStatement(sql.formatted(Lists.marks(mark, chunk.size())))) {
        Lists.bind(statement, 1, chunk);
        rows += statement.executeUpdate();
      }
    }
    return rows;
  }

  /**
   * Inserts only the first message of each group as arriving. Workers find the group by it, so that
   * a call with many messages costs them no more than a small one.
   */
  private static List<EncodedMessage> placed(
      List<EncodedMessage> messages, List<@Nullable TopicKeyId> groups) {
    Set<TopicKeyId> begun = new HashSet<>();
    List<EncodedMessage> placed = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      TopicKeyId group = groups.get(i);
      EncodedMessage message = messages.get(i);
      placed.add(
          group == null
              ? message
              : message.inGroup(begun.add(group) ? GroupPosition.FIRST : GroupPosition.BEHIND));
    }
    return placed;
  }

  private void join(List<@Nullable TopicKeyId> groups, List<Long> ids) throws SQLException {
    List<Integer> waiting = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      if (groups.get(i) != null) {
        waiting.add(i);
      }
    }
    for (List<Integer> chunk : Lists.chunks(waiting, CHUNK)) {
      try (PreparedStatement insert =
          connection.prepareStatement(JOIN.formatted(Lists.marks("(?, ?)", chunk.size())))) {
        int parameter = 1;
        for (int i : chunk) {
          insert.setBytes(parameter++, Objects.requireNonNull(groups.get(i)).bytes());
          insert.setLong(parameter++, ids.get(i));
        }
        insert.executeUpdate();
      }
    }
  }
}
