package io.rowqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class AttemptsIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  @Test
  void handler_thatReturns_effectAndDeletionCommitTogether(QueueDatabase database) {
    Orders.enqueueAll(database, 500);
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitNoneLeft(database);
      Orders.assertHandled(database, 500, Set.of());
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void handler_thatFailsTwice_isRetriedAndItsAttemptsVanishWithTheAck(QueueDatabase database) {
    MessageId id = Orders.enqueue(database, 1);
    Set<String> keys = ConcurrentHashMap.newKeySet();
    Orders.drain(
        database,
        (order, context) -> {
          Orders.write(order, context);
          keys.add(context.idempotencyKey());
          if (context.attempt() < 3) {
            throw new IllegalStateException("not yet");
          }
        });
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("3");
    assertThat(keys).singleElement().asString().endsWith("-" + id);
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
  }

  @Test
  void handler_thatAlwaysFails_endsAsDeadLetterWithEveryError(QueueDatabase database) {
    MessageId id = Orders.enqueue(database, 1);
    AtomicInteger calls = new AtomicInteger();
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              throw new IllegalStateException("failure " + calls.incrementAndGet());
            })) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("attempts-exhausted");
      DeadLetters deadLetters = worker.get(DeadLetters.class);
      assertThat(deadLetters.attempts(id))
          .extracting(FailedAttempt::errorMessage)
          .containsExactly("failure 1", "failure 2", "failure 3");
      assertThat(deadLetters.list(new Topic("order"), 10))
          .singleElement()
          .satisfies(letter -> assertThat(letter.attempts()).isEqualTo(3));
      assertThat(deadLetters.discardAll(List.of(id))).isEqualTo(1);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
  }

  @Test
  void handler_thatThrowsAnError_isRetriedAndTheThreadLives(QueueDatabase database) {
    Orders.enqueue(database, 1);
    Orders.drainByOne(
        database,
        (order, context) -> {
          if (context.attempt() == 1) {
            throw new StackOverflowError("deep");
          }
          Orders.write(order, context);
        },
        HandlerSettings.defaults());
    assertThat(database.strings("SELECT attempt FROM handled")).containsExactly("2");
  }

  @Test
  void handler_thatAsksForARetryOrARelease_waitsAsAsked(QueueDatabase database) {
    Orders.enqueue(database, 1);
    Orders.enqueue(database, 2);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              if (order.number() == 1) {
                throw new RetryAfter(Duration.ofHours(2), "closed");
              }
              throw new ReleaseMessage(Duration.ZERO, "not mine");
            })) {
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND attempts = 1"
              + " AND due_at > UTC_TIMESTAMP(6) + INTERVAL 119 MINUTE",
          1);
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message WHERE claim_number >= 2 AND attempts = 0",
          1);
    }
  }
}
