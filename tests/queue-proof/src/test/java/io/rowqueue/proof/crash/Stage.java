package io.rowqueue.proof.crash;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.Program;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.What;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.function.Consumer;

/** What the database holds before a scene begins. */
final class Stage {

  static final int GROUP = 20;

  private static final Duration SOON = Duration.ofSeconds(30);

  private Stage() {}

  static Consumer<QueueDatabase> empty() {
    return database -> {};
  }

  /** One message, changed by {@code changes} before anybody sees it. */
  static Consumer<QueueDatabase> message(What what, String... changes) {
    return database -> enqueue(database, what, changes);
  }

  static Consumer<QueueDatabase> group(String topic) {
    return database -> enqueueGroup(database, topic);
  }

  /**
   * A schedule of one firing in a hundred years, changed by {@code changes} before anybody sees it;
   * what it enqueues gets its entry in the books.
   */
  static Consumer<QueueDatabase> schedule(String... changes) {
    return database -> {
      database.execute(Ledgers.BOOK_WHAT_FIRES);
      inTransaction(
          database,
          (connection, statement) -> {
            statement.execute(
                "INSERT INTO queue_schedule (name, topic, every_micros, next_at, payload) VALUES ('"
                    + Program.SCHEDULE
                    + "', '"
                    + Step.TOPIC
                    + "', 3155760000000000, '2100-01-01', '{\"what\":\"SUCCEED\"}')");
            for (String change : changes) {
              statement.execute(change);
            }
          });
    };
  }

  static Consumer<QueueDatabase> subscribed(String... topics) {
    return database -> {
      database.execute("INSERT INTO queue_publication_lock VALUES ('" + Program.SOURCE + "', 1)");
      for (String topic : topics) {
        database.execute(
            "INSERT INTO queue_subscription VALUES ('%s', '%s', 0)"
                .formatted(Program.SOURCE, topic));
      }
    };
  }

  /** Enqueues one message with its entry in the books, and changes it before anybody sees it. */
  static void enqueue(QueueDatabase database, What what, String... changes) {
    inTransaction(
        database,
        (connection, statement) -> {
          MessageId id =
              MessageProducer.create()
                  .enqueue(connection, NewMessage.of(Step.TOPIC, new Step(what)));
          statement.execute("INSERT INTO enqueued (message_id) VALUES (" + id + ")");
          for (String change : changes) {
            statement.execute(change);
          }
        });
  }

  private static void enqueueGroup(QueueDatabase database, String topic) {
    inTransaction(
        database,
        (connection, statement) -> {
          MessageProducer.create()
              .enqueueAll(
                  connection,
                  Collections.nCopies(GROUP, NewMessage.of(topic, new Step(What.SUCCEED))));
          statement.execute("INSERT INTO enqueued (message_id) SELECT id FROM queue_message");
        });
  }

  static void await(QueueDatabase database, String query) {
    Await.until(query, SOON, () -> database.count(query), count -> count > 0);
  }

  private static void inTransaction(QueueDatabase database, Work work) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      work.run(connection, statement);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Work {
    void run(Connection connection, Statement statement) throws SQLException;
  }
}
