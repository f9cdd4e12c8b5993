package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.NewMessage;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class TestQueueIT {

  record Mail(String to) {}

  private final QueueDatabase database;
  private final TestQueue queue;

  TestQueueIT(QueueDatabase database) {
    this.database = database;
    this.queue = database.queue();
  }

  @Test
  void messages_inTheTable_areSeenAsTheyWereEnqueued() {
    Instant later = Instant.parse("2099-03-28T01:30:00.123456Z");
    queue.enqueue("mail", new Mail("ada"));
    queue.enqueue(NewMessage.of("mail", new Mail("bob")).withDelay(Duration.ofSeconds(90)));
    queue.enqueue(NewMessage.of("mail", new Mail("cy")).withDueAt(later).withPriority(-3));
    queue.enqueue(NewMessage.of("line", "first").withOrderingKey("k").withHeader("a", "b"));

    assertThat(queue)
        .hasEnqueued("mail")
        .times(3)
        .scheduledIn(Duration.ofSeconds(90))
        .withPayload(new Mail("bob"))
        .once()
        .hasEnqueued("mail")
        .scheduledAt(later)
        .withPriority(-3)
        .once()
        .hasEnqueued("mail")
        .available()
        .withPayload(new Mail("ada"))
        .once()
        .hasEnqueued("line")
        .withOrderingKey("k")
        .withHeader("a", "b")
        .andNothingElse();
    assertThat(queue).hasDepth(4).hasInFlight(0).hasNoDeadLetters();
  }

  @Test
  void payload_thatLiesOutsideItsRow_isSeenWhole() {
    Mail large = new Mail("x".repeat(600_000));
    queue.enqueue("mail", large);
    assertThat(database.count("SELECT COUNT(*) FROM queue_payload_chunk")).isGreaterThan(1);
    assertThat(queue).hasEnqueued("mail").withPayload(large).once().andNothingElse();
  }

  @Test
  void messages_inFlightFailedAndDead_areSeenSo() {
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, lock_id, claim_number) VALUES ('mail',"
            + " '1', 1, 'w', 1)",
        "INSERT INTO queue_message (topic, payload, state, attempts, claim_number) VALUES ('mail',"
            + " '2', 0, 1, 1)",
        """
        INSERT INTO queue_attempt (message_id, claim_number, attempt, worker, failed_at, error_class,
          error_message, error_trace)
        SELECT id, 1, 1, 'w', UTC_TIMESTAMP(6), 'E', 'no mail', '' FROM queue_message WHERE state = 0
        """,
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          worker, due_at, created_at, dead_at, payload)
        VALUES (999, 'mail', 0, 1, 1, 0, 'undecodable', 'no JSON', 'w', UTC_TIMESTAMP(6),
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 'x')
        """);
    assertThat(queue).hasInFlight(1).hasDepth("mail", 1);
    assertThat(queue).hasEnqueued("mail").failedTimes(1).withPayload(2).once();
    assertThat(queue.toString()).contains("failed 1 times, last of E: no mail");
    assertThat(queue)
        .hasDeadLetter("mail")
        .withReason(DeadLetterReason.UNDECODABLE)
        .withDetail("no JSON");
    assertThat(queue.poll().deadLetters()).extracting("id").isEqualTo(List.of(999L));
  }
}
