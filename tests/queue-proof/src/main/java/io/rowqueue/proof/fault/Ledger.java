package io.rowqueue.proof.fault;

import io.rowqueue.Deduplication;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes the tables of {@code ledger.sql}: what clients did, in the transactions that did it. */
final class Ledger {

  private static final Pattern COMMENT = Pattern.compile("(?m)^--.*\n");

  private Ledger() {}

  static void create(QueueDatabase database) {
    String script = COMMENT.matcher(resource("ledger.sql")).replaceAll("");
    database.execute(
        Stream.of(script.split(";\n", -1))
            .filter(statement -> !statement.isBlank())
            .toArray(String[]::new));
  }

  static String resource(String name) {
    try (InputStream text = Ledger.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(text, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes what {@code connection} has enqueued, in the same transaction. */
  static void write(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO enqueued (message_id, topic, ending, ordering_key, dedup_key, filler)"
                + " VALUES (?, ?, ?, ?, ?, ?)")) {
      for (Entry entry : entries) {
        insert.setLong(1, entry.id().value());
        insert.setString(2, entry.topic());
        insert.setString(3, entry.ending());
        insert.setString(4, entry.orderingKey());
        insert.setString(5, entry.dedupKey());
        insert.setInt(6, entry.filler());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /** Writes the keys of {@code messages}, be they duplicates, in the producer's transaction. */
  static void writeOffered(Connection connection, Collection<NewMessage> messages)
      throws SQLException {
    for (NewMessage message : messages) {
      Deduplication rule = message.deduplication();
      if (rule != null) {
        insert(connection, "INSERT IGNORE INTO offered VALUES (?)", rule.key());
      }
    }
  }

  /** Executes one statement in the transaction of {@code connection}. */
  static void insert(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  /** A client means to remove {@code id}; from then on it may be nowhere. */
  static void writeRemoval(QueueDatabase database, MessageId id) {
    database.execute("INSERT IGNORE INTO removed (message_id) VALUES (%d)".formatted(id.value()));
  }

  /** It was refused; but another client that asked before may have removed it meanwhile. */
  static void deleteRemoval(QueueDatabase database, MessageId id) {
    database.execute(
        "DELETE FROM removed WHERE stays = 0 AND message_id = %d".formatted(id.value())
            + " AND message_id NOT IN (SELECT message_id FROM cancel_requested)");
  }

  /** Those of {@code messages} that became rows: duplicates did not. */
  static List<Entry> entries(List<NewMessage> messages, List<EnqueueResult> offers) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (offers.get(i).outcome() == EnqueueResult.Outcome.INSERTED) {
        entries.add(Entry.of(offers.get(i).id(), messages.get(i)));
      }
    }
    return entries;
  }

  /** Every copy of what was published. */
  static List<Entry> copies(List<NewMessage> messages, List<Publication> publications) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      NewMessage message = messages.get(i);
      publications
          .get(i)
          .copies()
          .forEach((topic, id) -> entries.add(Entry.of(id, message).of(topic.name())));
    }
    return entries;
  }

  /** What a producer knows of a message. */
  record Entry(
      MessageId id,
      String topic,
      String ending,
      @Nullable String orderingKey,
      @Nullable String dedupKey,
      int filler) {

    static Entry of(MessageId id, NewMessage message) {
      Deduplication rule = message.deduplication();
      Action action = (Action) message.payload();
      return new Entry(
          id,
          message.topic().name(),
          action.ending().name(),
          message.orderingKey(),
          rule == null ? null : rule.key(),
          action.filler() == null ? 0 : action.filler().length());
    }

    Entry of(String otherTopic) {
      return new Entry(id, otherTopic, ending, orderingKey, dedupKey, filler);
    }
  }
}
