package io.rowqueue.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Deduplication;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import io.rowqueue.worker.internal.doctor.Finding;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a new message never gets the id under which another table holds something of an older one.
 * Method: a schema of its own, whose queue_message is truncated while other tables know its ids.
 */
class MessageIdsIT {

  private static final long HIGHEST = 1_000;

  private final QueueDatabase database = QueueDatabase.create();
  private final Transactions transactions = Transactions.on(database.dataSource());
  private final MessageProducer producer = MessageProducer.create();

  @AfterEach
  void close() {
    database.close();
  }

  private void truncated(String... others) {
    database.execute(others);
    database.execute("TRUNCATE TABLE queue_message");
  }

  private static String body() {
    return "INSERT INTO queue_payload_chunk (message_id, seq, bytes) VALUES (1000, 0, 'x')";
  }

  private long enqueued() {
    return producer.enqueue(database.dataSource(), NewMessage.of("order", new Order(1))).value();
  }

  @Test
  void find_whereNothingHasStartedAgain_findsNothing() {
    assertThat(MessageIds.find(transactions)).isNull();
    var unused = enqueued();
    assertThat(MessageIds.find(transactions)).isNull();
  }

  @Test
  void raise_afterTruncate_goesOnAboveWhatIsKnown() {
    var unused = enqueued();
    truncated(body(), "INSERT INTO queue_cancel_request (message_id) VALUES (7)");
    assertThat(MessageIds.find(transactions)).isEqualTo(new MessageIds.Restarted(1, HIGHEST));
    MessageIds.raise(transactions);
    assertThat(MessageIds.find(transactions)).isNull();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(enqueued()).isGreaterThan(HIGHEST);
  }

  /** Each is the only row that knows an id, in a table without an index on it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "queue_deduplication (dedup_id, topic, dedup_key, message_id, version, updated_at) VALUES"
            + " ('k', 'order', 'k', 1000, 1, UTC_TIMESTAMP(6))",
        "queue_ordering_group (group_id, topic, ordering_key, message_id, version, updated_at)"
            + " VALUES ('k', 'order', 'k', 1000, 1, UTC_TIMESTAMP(6))",
        "queue_ordering_member (group_id, message_id) VALUES ('k', 1000)",
        "queue_chain (created_at, message_id) VALUES (UTC_TIMESTAMP(6), 1000)",
        "queue_batch_shard (id, waits_for_dead, open_members, first_message) VALUES (64, 0, 1,"
            + " 1000)"
      })
  void find_afterTruncate_seesEachTable(String row) {
    truncated("INSERT INTO " + row);
    assertThat(MessageIds.find(transactions)).isEqualTo(new MessageIds.Restarted(1, HIGHEST));
  }

  /** Beyond the sample that detects it, all rows count. */
  @Test
  void raise_afterTruncate_goesOnAboveMoreKeysThanTheSample() {
    truncated(
        "INSERT INTO queue_ordering_member (group_id, message_id) VALUES "
            + IntStream.rangeClosed(1, 1_100)
                .mapToObj(id -> "('%04d', %d)".formatted(id, id))
                .collect(Collectors.joining(", ")));
    assertThat(MessageIds.find(transactions)).isEqualTo(new MessageIds.Restarted(1, 1_100));
    MessageIds.raise(transactions);
    assertThat(enqueued()).isGreaterThan(1_100);
  }

  @Test
  void migrate_afterTruncate_raises() {
    truncated(body());
    assertThat(Migrator.migrate(database.dataSource()).changed()).isFalse();
    assertThat(enqueued()).isGreaterThan(HIGHEST);
  }

  @Test
  void worker_afterTruncate_raisesBeforeItClaimsAndSaysSo() {
    truncated(body());
    try (CapturedLog log = CapturedLog.of("io.rowqueue.internal.schema");
        TestWorker worker =
            TestWorker.start(
                database, config -> config, Handlers.bind("order", (order, context) -> {}))) {
      assertThat(enqueued()).isGreaterThan(HIGHEST);
      Await.that(
          "it is handled",
          Duration.ofSeconds(30),
          () -> database.count("SELECT COUNT(*) FROM queue_message") == 0);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("other tables contain ids up to 1000", "it now gets id 1001");
    }
  }

  @Test
  void doctor_afterTruncate_saysSo() throws SQLException {
    truncated(body());
    List<Finding> findings = Doctor.of(database.dataSource(), DoctorSettings.defaults()).examine();
    assertThat(findings)
        .filteredOn(finding -> finding.subject().equals("ids"))
        .singleElement()
        .asString()
        .contains("the next message would get id 1", "queue-worker migrate");
  }

  /** The key names an id that is a message of another topic now. */
  @Test
  void deduplicationKey_whoseMessageIsAnotherTopics_holdsNothing() {
    NewMessage keyed =
        NewMessage.of("order", new Order(1)).withDeduplication(Deduplication.whileAlive("key"));
    producer.enqueue(database.dataSource(), keyed);
    database.execute("UPDATE queue_message SET topic = 'other'");
    assertThat(producer.enqueueAllWithResults(database.dataSource(), List.of(keyed)))
        .singleElement()
        .extracting(EnqueueResult::outcome)
        .isEqualTo(EnqueueResult.Outcome.INSERTED);
  }
}
