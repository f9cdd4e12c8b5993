package io.rowqueue.internal.enqueue;

import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.SessionSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The topics that are subscribed to each source. Uses JDBC like {@link MultiRowInsert}, since it
 * runs in each publication.
 */
final class Subscribed {

  /**
   * Reads the source's row by its full key, so that it is locked before the join. If a change of
   * subscriptions holds the lock, this waits and then reads the new ones. In REPEATABLE READ it
   * also locks the gaps around the source's subscriptions. MariaDB 11.4 does not support FOR SHARE.
   */
  private static final String LOCKED =
      "SELECT s.topic FROM queue_publication_lock g FORCE INDEX (PRIMARY)"
          + " LEFT JOIN queue_subscription s FORCE INDEX (PRIMARY)"
          + " ON s.source = g.source AND s.paused = 0"
          + " WHERE g.source = ? ORDER BY s.topic"
          + SessionSettings.ALL_ROWS
          + " LOCK IN SHARE MODE";

  private static final String READ =
      "SELECT topic FROM queue_subscription WHERE source = ? AND paused = 0 ORDER BY topic"
          + SessionSettings.ALL_ROWS;

  private final Map<Topic, List<Topic>> bySource;

  private Subscribed(Map<Topic, List<Topic>> bySource) {
    this.bySource = bySource;
  }

  /**
   * Reads and locks the subscriptions of the sources of {@code messages}. They do not change until
   * the transaction of {@code connection} ends.
   */
  static Subscribed locked(Connection connection, Collection<NewMessage> messages)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(LOCKED)) {
      return read(select, messages);
    }
  }

  /** Reads the current subscriptions of the sources of {@code messages} without locks. */
  static Subscribed read(Connection connection, Collection<NewMessage> messages)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(READ)) {
      return read(select, messages);
    }
  }

  /** Reads in the order of the sources, so that concurrent publications lock in one order. */
  private static Subscribed read(PreparedStatement select, Collection<NewMessage> messages)
      throws SQLException {
    Set<Topic> sources = new TreeSet<>();
    messages.forEach(message -> sources.add(message.topic()));
    Map<Topic, List<Topic>> bySource = new TreeMap<>();
    for (Topic source : sources) {
      select.setString(1, source.name());
      bySource.put(source, topics(select));
    }
    return new Subscribed(bySource);
  }

  /** A source without subscriptions has one row without a topic. */
  private static List<Topic> topics(PreparedStatement select) throws SQLException {
    List<Topic> topics = new ArrayList<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        String topic = rows.getString(1);
        if (topic != null) {
          topics.add(new Topic(topic));
        }
      }
    }
    return List.copyOf(topics);
  }

  /** The topics that get copies of messages published under {@code source}, sorted. */
  List<Topic> topics(Topic source) {
    return bySource.getOrDefault(source, List.of());
  }

  /** All topics that get copies, sorted. */
  List<Topic> all() {
    return bySource.values().stream().flatMap(List::stream).distinct().sorted().toList();
  }
}
