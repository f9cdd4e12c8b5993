package io.rowqueue.proof.crash;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.crash.victim.Program;
import io.rowqueue.proof.crash.victim.Step;
import io.rowqueue.proof.crash.victim.Step.What;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.function.Consumer;

/** What the database holds before a scene begins. */
final class Stage {

  /** How many messages a group has. */
  static final int GROUP = 20;

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String DIE =
      "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason, detail,"
          + " worker, due_at, created_at, dead_at, payload) SELECT id, topic, 0, 4, 3, 0,"
          + " 'attempts-exhausted', '', 'w', due_at, created_at, due_at, payload FROM"
          + " queue_message";

  private static final String JOIN = "UPDATE queue_message SET ordering_key = 'k', state = 4";

  private Stage() {}

  static Consumer<QueueDatabase> empty() {
    return database -> {};
  }

  /** One message, changed by {@code changes} before anybody sees it. */
  static Consumer<QueueDatabase> message(What what, String... changes) {
    return database -> enqueue(database, what, changes);
  }

  /** One message whose handling has no effect in the database. */
  static Consumer<QueueDatabase> messageWithoutEffect() {
    return database -> enqueueWithoutEffect(database);
  }

  static Consumer<QueueDatabase> group(String topic) {
    return database -> enqueueGroup(database, topic);
  }

  /** Messages whose handling has no effect in the database. */
  static Consumer<QueueDatabase> groupWithoutEffect() {
    return group(Step.OUTSIDE_TOPIC)
        .andThen(database -> database.execute("UPDATE enqueued SET effectless = 1"));
  }

  /** Messages of one ordering key, as plain SQL leaves them. */
  static Consumer<QueueDatabase> line() {
    return group(Step.TOPIC).andThen(sql(JOIN));
  }

  /** The line's row is there already, and nobody is its head. */
  static Consumer<QueueDatabase> lineWithoutHead() {
    return line()
        .andThen(
            sql(
                "INSERT INTO queue_order_head (order_id, topic, ordering_key, version, updated_at)"
                    + " SELECT UNHEX(LEFT(SHA2(CONCAT(topic, CHAR(0), 'k'), 256), 32)), topic,"
                    + " 'k', 1, UTC_TIMESTAMP(6) FROM queue_message LIMIT 1"));
  }

  /** The same where two of a key may be handled at once. */
  static Consumer<QueueDatabase> lineWithRoom() {
    return sql("INSERT INTO queue_topic (topic, key_in_flight) VALUES ('crash', 2)")
        .andThen(lineWithoutHead());
  }

  /** The same, and its messages wait for somebody who learns that there is room. */
  static Consumer<QueueDatabase> lineThatMayHaveRoom() {
    return lineWithRoom()
        .andThen(sql("UPDATE queue_message SET state = 3"))
        .andThen(
            sql(
                "INSERT INTO queue_order SELECT order_id, id FROM queue_order_head,"
                    + " queue_message"));
  }

  /** One that stands alone, and whose handling has no effect in the database. */
  static Consumer<QueueDatabase> lineWithoutEffect() {
    return messageWithoutEffect().andThen(sql(JOIN));
  }

  /** Batch 1 with one leaf, which has so many open members, the seal's among them. */
  static Consumer<QueueDatabase> batch(int sealed, int open) {
    String batch =
        "INSERT INTO queue_batch (id, sealed, leaves, open_leaves, created_at) VALUES (1, %d, 1, 1,"
            + " UTC_TIMESTAMP(6))";
    String leaf =
        "INSERT INTO queue_batch_leaf (id, holds, open_members, total, first_message) VALUES (64,"
            + " 0, %d, %d, 1)";
    return sql(batch.formatted(sealed)).andThen(sql(leaf.formatted(open, sealed)));
  }

  /** The message that {@code first} makes is chain 1's, and a step follows; both are booked. */
  static Consumer<QueueDatabase> chain(Consumer<QueueDatabase> first) {
    return first
        .andThen(sql(Books.BOOK_WHAT_FIRES))
        .andThen(sql("INSERT INTO queue_chain (id, created_at) VALUES (1, UTC_TIMESTAMP(6))"))
        .andThen(
            sql(
                "INSERT INTO queue_chain_step VALUES (1, 1, '"
                    + Step.TOPIC
                    + "', 0, 0, NULL, '{\"what\":\"SUCCEED\"}')"));
  }

  static Consumer<QueueDatabase> deadLetter() {
    return message(What.SUCCEED, DIE, "DELETE FROM queue_message");
  }

  static Consumer<QueueDatabase> deadLetterWithoutEffect() {
    return messageWithoutEffect()
        .andThen(database -> database.execute(DIE, "DELETE FROM queue_message"));
  }

  /** A worker whose lease ran out, and that nobody has declared dead. */
  static Consumer<QueueDatabase> silentWorker() {
    return database -> worker(database, 1, -1);
  }

  /** A worker that lives for {@code seconds} more. */
  static Consumer<QueueDatabase> dyingWorker(int seconds) {
    return database -> worker(database, 1, seconds);
  }

  static Consumer<QueueDatabase> deadWorker() {
    return database -> worker(database, 0, -1);
  }

  /** A message that the silent or dead worker holds, with {@code more} columns set. */
  static Consumer<QueueDatabase> orphan(String more) {
    return message(
        What.SUCCEED,
        "UPDATE queue_message SET state = 1, claims = 1, lock_id = '%s'%s"
            .formatted(Program.DRAINED, more));
  }

  /** The same, of one whose handling has no effect in the database. */
  static Consumer<QueueDatabase> orphanWithoutEffect() {
    return messageWithoutEffect()
        .andThen(
            sql(
                "UPDATE queue_message SET state = 1, claims = 1, lock_id = '%s'"
                    .formatted(Program.DRAINED)));
  }

  /**
   * A schedule of one firing in a hundred years, changed by {@code changes} before anybody sees it;
   * what it enqueues gets its entry in the books.
   */
  static Consumer<QueueDatabase> schedule(String... changes) {
    return database -> {
      database.execute(Books.BOOK_WHAT_FIRES);
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

  /** Topics that get copies of what is published. */
  static Consumer<QueueDatabase> subscribed(String... topics) {
    return database -> {
      database.execute("INSERT INTO queue_source VALUES ('" + Program.SOURCE + "', 1)");
      for (String topic : topics) {
        database.execute(
            "INSERT INTO queue_subscription VALUES ('%s', '%s', 0)"
                .formatted(Program.SOURCE, topic));
      }
    };
  }

  /** One handling at once of the topic that is handled one by one. */
  static Consumer<QueueDatabase> limited() {
    return sql("INSERT INTO queue_topic (topic, max_in_flight) VALUES ('crash', 1)");
  }

  /** Its one slot, which the silent or dead worker holds. */
  static Consumer<QueueDatabase> slot() {
    return sql(
        "INSERT INTO queue_slot (topic, slot, lock_id) VALUES ('crash', 0, '%s')"
            .formatted(Program.DRAINED));
  }

  static Consumer<QueueDatabase> sql(String statement) {
    return database -> database.execute(statement);
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

  private static void enqueueWithoutEffect(QueueDatabase database) {
    enqueue(
        database,
        What.SUCCEED,
        "UPDATE queue_message SET topic = '" + Step.OUTSIDE_TOPIC + "'",
        "UPDATE enqueued SET effectless = 1");
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

  private static void worker(QueueDatabase database, int alive, int leaseSeconds) {
    database.execute(
        """
        INSERT INTO queue_worker
          (lock_id, host, pid, alive, lease_until, version, topics, started_at, updated_at)
        VALUES ('%s', 'gone', 1, %d, UTC_TIMESTAMP(6) + INTERVAL %d SECOND, 'test', 'crash',
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """
            .formatted(Program.DRAINED, alive, leaseSeconds));
  }

  /** Waits until {@code query} counts something. */
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
