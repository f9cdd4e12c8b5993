package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.Deduplication;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.ProducerKind.Enqueueing;
import io.rowqueue.internal.database.ProducerKind.Producing;
import io.rowqueue.internal.database.ProducerKind.Publishing;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.TopicKeyId;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever a producer is given, what it says is true: the ids are those of the rows, the
 * texts are exact, everything is there once; or it is refused by name before anything is written,
 * and the caller's own work is untouched. Method: every kind of connection times everything that
 * uses the ids of what it has inserted.
 */
@QueueTest
@ParameterizedClass(name = "{0}")
@EnumSource
class ProducerKindsIT {

  private static final String TEXT = "\u00e9 \u0416 \u65e5 \uD83D\uDE00";

  private static final int ROUNDS = 2;

  private final ProducerKind kind;
  private final QueueDatabase database;

  ProducerKindsIT(ProducerKind kind, QueueDatabase database) {
    this.kind = kind;
    this.database = database;
  }

  private static NewMessage message(int number) {
    return NewMessage.of("order", bytes(number, 10)).withHeader("name " + TEXT, number + TEXT);
  }

  private static byte[] bytes(int number, int length) {
    return (number + "x".repeat(length)).getBytes(StandardCharsets.US_ASCII);
  }

  private static List<NewMessage> three() {
    return List.of(message(1), message(2), message(3));
  }

  /** Twice, so that a step that was wrong the first time meets rows that are there. */
  private List<Long> produce(Producing producing) throws SQLException {
    assumeTrue(kind.exists(database));
    List<Long> ids = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      if (kind.refusal().isEmpty()) {
        kind.enqueue(database, producing).stream().map(MessageId::value).forEach(ids::add);
      } else {
        assertThatThrownBy(() -> kind.enqueue(database, producing))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining(kind.refusal());
        if (kind.hasCallersWork()) {
          assertThat(database.count("SELECT COUNT(*) FROM callers_work")).isEqualTo(2);
        }
      }
    }
    assertThat(database.strings("SELECT id FROM queue_message ORDER BY id"))
        .as("ids of the rows")
        .isEqualTo(texts(ids));
    return ids;
  }

  private static List<String> texts(List<?> values) {
    return values.stream().map(String::valueOf).toList();
  }

  private void assertMessages(List<Long> ids, List<NewMessage> expected) {
    for (int i = 0; i < ids.size(); i++) {
      NewMessage message = expected.get(i % expected.size());
      String where = " FROM queue_message WHERE id = " + ids.get(i);
      assertThat(database.strings("SELECT payload" + where))
          .containsExactly(new String((byte[]) message.payload(), StandardCharsets.US_ASCII));
      assertThat(Headers.parse(database.strings("SELECT headers" + where).get(0)))
          .containsAllEntriesOf(message.headers());
    }
  }

  @Test
  void enqueue_one() throws SQLException {
    assertMessages(produce(new Enqueueing(List.of(message(1)))), List.of(message(1)));
  }

  @Test
  void enqueue_batch() throws SQLException {
    assertMessages(produce(new Enqueueing(three())), three());
  }

  @Test
  void enqueue_storedPayloads() throws SQLException {
    List<byte[]> payloads = IntStream.range(0, 3).mapToObj(i -> bytes(i, 40_000)).toList();
    List<Long> ids =
        produce(
            new Enqueueing(payloads.stream().map(bytes -> NewMessage.of("order", bytes)).toList()));
    assertThat(database.strings("SELECT message_id FROM queue_payload_chunk ORDER BY message_id"))
        .isEqualTo(texts(ids));
    assertThat(
            database.strings("SELECT LEFT(bytes, 2) FROM queue_payload_chunk ORDER BY message_id"))
        .isEqualTo(ids.isEmpty() ? List.of() : List.of("0x", "1x", "2x", "0x", "1x", "2x"));
  }

  @Test
  void enqueue_orderingKeys() throws SQLException {
    List<NewMessage> messages =
        three().stream().map(message -> message.withOrderingKey(TEXT)).toList();
    List<Long> ids = produce(new Enqueueing(messages));
    assertMessages(ids, messages);
    assertThat(database.strings("SELECT message_id FROM queue_ordering_member ORDER BY message_id"))
        .isEqualTo(texts(ids));
    assertThat(
            database.strings(
                "SELECT DISTINCT CONCAT(HEX(group_id), ordering_key) FROM queue_ordering_member"
                    + " JOIN queue_message ON id = message_id"))
        .isEqualTo(
            ids.isEmpty()
                ? List.of()
                : List.of(TopicKeyId.of("order", TEXT).toString().toUpperCase(Locale.ROOT) + TEXT));
  }

  @Test
  void enqueue_deduplicationKeys() throws SQLException {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      messages.add(message(i).withDeduplication(Deduplication.whileAlive(i + TEXT)));
    }
    assumeTrue(kind.exists(database));
    if (!kind.refusal().isEmpty()) {
      var unused = produce(new Enqueueing(messages));
      return;
    }
    List<MessageId> first = kind.enqueue(database, new Enqueueing(messages));
    List<MessageId> second = kind.enqueue(database, new Enqueueing(messages));
    assertThat(second).isEqualTo(first);
    assertMessages(first.stream().map(MessageId::value).toList(), messages);
    assertThat(
            database.strings(
                "SELECT dedup_key FROM queue_deduplication JOIN queue_message ON id = message_id"
                    + " ORDER BY id"))
        .containsExactly("0" + TEXT, "1" + TEXT, "2" + TEXT);
  }

  @Test
  void publish() throws SQLException {
    database.execute(
        "INSERT INTO queue_publication_lock (source, version) VALUES ('order', 1)",
        "INSERT INTO queue_subscription (source, topic) VALUES ('order', 'a'), ('order', 'b')");
    List<Long> ids = produce(new Publishing(message(1)));
    assertMessages(ids, List.of(message(1)));
    assertThat(database.strings("SELECT topic FROM queue_message ORDER BY id"))
        .isEqualTo(ids.isEmpty() ? List.of() : List.of("a", "b", "a", "b"));
  }
}
