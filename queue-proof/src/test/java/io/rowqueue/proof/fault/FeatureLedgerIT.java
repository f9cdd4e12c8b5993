package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the harness would say of broken promises: nothing it audits holds by itself. */
class FeatureLedgerIT {

  private final QueueDatabase database = QueueDatabase.create();
  private FeatureLedger features;

  @BeforeEach
  void open() {
    Ledger books = new Ledger(database);
    features = new FeatureLedger(database);
    assertThat(books.enqueued()).isZero();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void nothing_happened_isNoSuccess() {
    assertThat(features.findings()).isEmpty();
    assertThat(features.unused()).hasSize(5);
  }

  @Test
  void everyPromise_brokenOnce_isFoundOnce() {
    enqueued(1, "fault.ordered", "'a'", "NULL");
    enqueued(2, "fault.ordered", "'a'", "NULL");
    enqueued(3, "fault.result", "NULL", "NULL");
    enqueued(4, "fault.alone", "NULL", "'twice'");
    enqueued(5, "fault.alone", "NULL", "'twice'");
    database.execute(
        "INSERT INTO offered VALUES ('twice'), ('lost')",
        "INSERT INTO effect (message_id, claim, pid) VALUES (2, 1, 1), (1, 1, 1), (3, 1, 1)",
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content) VALUES"
            + " (9, 'fault.result', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')",
        "INSERT INTO tick VALUES (100), (102)",
        "INSERT INTO queue_order (order_id, message_id) VALUES (UNHEX(REPEAT('0', 32)), 77)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "key twice was enqueued under 2 times",
            "key lost was enqueued under 0 times",
            "message 1 of a was handled behind 2",
            "message 3 took effect without its result",
            "message 9 has a result without effect",
            "1 firings are missing of 3",
            "message 77 is gone and stands in its line");
  }

  private void enqueued(int id, String topic, String line, String key) {
    database.execute(
        "INSERT INTO enqueued VALUES (%d, '%s', 'SUCCEED', %s, %s)"
            .formatted(id, topic, line, key));
  }
}
