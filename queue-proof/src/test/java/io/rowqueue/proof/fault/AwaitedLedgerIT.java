package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.proof.TestWorker;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the harness would say of broken promises of results that somebody awaits. */
class AwaitedLedgerIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Behind the look with which a wait begins, and before the next, also on a busy machine. */
  private static final int HANDLED_MILLIS = 500;

  private final QueueDatabase database = QueueDatabase.create();
  private FeatureLedger features;

  @BeforeEach
  void open() {
    features = EmptyBooks.in(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void everyPromiseOfAwaitedResults_brokenOnce_isFoundOnce() {
    for (int id = 1; id <= 4; id++) {
      database.execute(
          "INSERT INTO enqueued VALUES (%d, 'fault.result', 'SUCCEED', NULL, NULL, 0)"
              .formatted(id));
    }
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 2, 1), (2, 1, 1)",
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content) VALUES"
            + " (1, 'fault.result', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '2'),"
            + " (2, 'fault.result', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')",
        "INSERT INTO awaited VALUES (1, 'ANSWERED', 1, 0), (2, 'DEAD', NULL, 0),"
            + " (3, 'GONE', NULL, 0), (4, 'TIMEOUT', NULL, 10001)");
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 1 was answered with 1, its result is 2 and its effect of claim 2",
            "message 2 was said to be a dead letter, and took effect",
            "message 3 was said to be gone, and nobody took it out",
            "message 4 of fault.result was awaited for 10001 ms longer than said");
  }

  @Test
  void awaiting_inVain_isFound() {
    try (Asker asker = new Asker(database.url(), features.awaited(), Plan.seeded(1))) {
      assertThat(asker.findings(Duration.ZERO, Duration.ZERO))
          .containsExactly(
              "the faults are over, and who awaits a result is not answered",
              "the faults are over, and no ring ends a wait");
    }
    assertThat(database.strings("SELECT outcome FROM awaited"))
        .containsExactly("TIMEOUT", "TIMEOUT");
    assertThat(database.strings("SELECT message_id FROM enqueued"))
        .as("booked by whoever enqueued it")
        .isEqualTo(database.strings("SELECT id FROM queue_message"));
  }

  /** Answered by the next look, since nobody sleeps on the connection that workers are told. */
  @Test
  void waits_thatNoRingEnds_areFound() {
    database.execute(
        "CREATE TRIGGER deaf BEFORE INSERT ON queue_waiter FOR EACH ROW"
            + " SET NEW.listener_connection = 0");
    try (TestWorker worker = answering();
        Asker asker = new Asker(database.url(), features.awaited(), Plan.seeded(1))) {
      assertThat(asker.findings(SOON, Duration.ofSeconds(3)))
          .containsExactly("the faults are over, and no ring ends a wait");
      database.execute("DROP TRIGGER deaf");
    }
    try (TestWorker worker = answering();
        Asker asker = new Asker(database.url(), features.awaited(), Plan.seeded(1))) {
      assertThat(asker.findings(SOON, SOON)).isEmpty();
    }
  }

  private TestWorker answering() {
    return TestWorker.start(
        database,
        LambdaHandlers.bindResult(
            Deed.RESULT,
            Deed.class,
            (deed, context) -> {
              Pauses.millis(HANDLED_MILLIS);
              return context.claimNumber();
            },
            HandlerSettings.defaults().withResults(Duration.ofHours(1))));
  }
}
