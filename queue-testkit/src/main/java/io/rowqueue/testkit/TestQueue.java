package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.QueuedMessage.State;
import io.rowqueue.testkit.QueuedMessage.When;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AssertProvider;

/**
 * The queue of a {@link QueueDatabase}, to enqueue messages and to read its contents. AssertJ's
 * {@code assertThat(queue)} reads the committed contents once and returns {@link QueueAssert}.
 * Thread-safe.
 *
 * <pre>{@code
 * queue.enqueue("order.placed", order);
 * worker.drain();
 * assertThat(queue).hasEnqueued("email.send").withPayload(email).once().andNothingElse();
 * }</pre>
 */
public final class TestQueue implements AssertProvider<QueueAssert> {

  /** A large payload is stored in chunks, as its headers tell. */
  private static final String PAYLOAD =
      "IF(headers LIKE '%rowqueue-body%', COALESCE((SELECT GROUP_CONCAT(bytes ORDER BY seq"
          + " SEPARATOR '') FROM queue_payload_chunk WHERE message_id = id), payload), payload)";

  private static final String WHOLE_PAYLOADS = "SET SESSION group_concat_max_len = 1073741824";

  private static final String MESSAGES =
      """
      SELECT id, topic, state, TIMESTAMPDIFF(MICROSECOND, updated_at, due_at), due_at, priority,
        ordering_key, headers,
      """
          + PAYLOAD
          + """
          , attempts,
            (SELECT CONCAT(error_class, ': ', error_message) FROM queue_attempt
              WHERE message_id = id ORDER BY queue_attempt.claim_number DESC LIMIT 1)
          FROM queue_message ORDER BY id
          """;

  private static final String DEAD_LETTERS =
      """
      SELECT id, topic, reason, detail, attempts, headers,
      """
          + PAYLOAD
          + """
          FROM queue_dead_letter ORDER BY id
          """;

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();

  TestQueue(QueueDatabase database) {
    this.database = database;
  }

  /** Enqueues a message in a transaction of its own. */
  public MessageId enqueue(String topic, Object payload) {
    return enqueue(NewMessage.of(topic, payload));
  }

  /** Enqueues {@code message} in a transaction of its own. */
  public MessageId enqueue(NewMessage message) {
    return producer.enqueue(database.dataSource(), message);
  }

  /**
   * Returns the current contents.
   *
   * @throws TestServerException if they cannot be read
   */
  public QueueContents poll() {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(WHOLE_PAYLOADS);
      return new QueueContents(messages(statement), deadLetters(statement));
    } catch (SQLException e) {
      throw new TestServerException("the queue cannot be read: " + e.getMessage(), e);
    }
  }

  /** Used by AssertJ. */
  @Override
  public QueueAssert assertThat() {
    return new QueueAssert(poll());
  }

  /** Formats the current contents. */
  @Override
  public String toString() {
    return "the queue of " + database.name() + ":\n" + poll();
  }

  private static List<QueuedMessage> messages(Statement statement) throws SQLException {
    List<QueuedMessage> messages = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(MESSAGES)) {
      while (row.next()) {
        State state = state(row.getInt(3));
        String error = row.getString(11);
        messages.add(
            new QueuedMessage(
                row.getLong(1),
                row.getString(2),
                state,
                state == State.SCHEDULED ? when(row) : When.NOW,
                row.getInt(6),
                row.getString(7),
                Headers.parse(row.getString(8)),
                row.getBytes(9),
                row.getInt(10),
                error == null ? "" : error));
      }
    }
    return messages;
  }

  private static State state(int number) {
    return switch (number) {
      case 0 -> State.AVAILABLE;
      case 1 -> State.IN_FLIGHT;
      case 2 -> State.SCHEDULED;
      default -> State.BLOCKED;
    };
  }

  private static When when(ResultSet row) throws SQLException {
    return new When(
        Duration.of(row.getLong(4), ChronoUnit.MICROS),
        row.getObject(5, LocalDateTime.class).toInstant(ZoneOffset.UTC));
  }

  private static List<DeadMessage> deadLetters(Statement statement) throws SQLException {
    List<DeadMessage> letters = new ArrayList<>();
    try (ResultSet row = statement.executeQuery(DEAD_LETTERS)) {
      while (row.next()) {
        letters.add(
            new DeadMessage(
                row.getLong(1),
                row.getString(2),
                DeadLetterReason.ofLabel(row.getString(3)),
                row.getString(4),
                row.getInt(5),
                Headers.parse(row.getString(6)),
                row.getBytes(7)));
      }
    }
    return letters;
  }
}
