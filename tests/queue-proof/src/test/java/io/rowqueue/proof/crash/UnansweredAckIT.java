package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ProbeModule;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.tests.process.Wire.Loss;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class UnansweredAckIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  @BeforeEach
  void openBooks(QueueDatabase database) {
    new Ledgers(database).open();
  }

  @Test
  void ack_committedAndNotAnswered_isNotHandledAgain(QueueDatabase database) throws Exception {
    CountDownLatch acked = new CountDownLatch(1);
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            worker(
                database,
                wire,
                () -> {
                  wire.loseNextCommit(Loss.HELD_BACK);
                  acked.countDown();
                })) {
      Scene.ACK.arrange(database);
      assertThat(acked.await(20, TimeUnit.SECONDS)).isTrue();
      wire.lost().get(20, TimeUnit.SECONDS);
      wire.cutHeld();
      Scene.ACK.arrange(database);
      Orders.awaitNoneLeft(database, SOON);
    }
    assertThat(database.strings("SELECT claim FROM effect")).containsExactly("1", "1");
    new Ledgers(database).balance();
  }

  /** One attempt is all it has, and a lost connection must not use it up. */
  @Test
  void ack_lostOnItsWay_isHandledAgainAndNoAttemptIsCounted(QueueDatabase database)
      throws Exception {
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            worker(database, wire, () -> wire.loseNextCommit(Loss.BEFORE_THE_SERVER))) {
      Scene.ACK.arrange(database);
      Orders.awaitNoneLeft(database, SOON);
    }
    assertThat(database.strings("SELECT claim FROM effect")).containsExactly("2");
    new Ledgers(database).balance();
  }

  private static TestWorker worker(QueueDatabase database, Wire wire, Runnable atFirstAck) {
    AtomicBoolean first = new AtomicBoolean(true);
    ProbeModule probe =
        new ProbeModule() {
          @Override
          public void beforeCommit(Transition transition) {
            if (transition == Transition.ACK && first.getAndSet(false)) {
              atFirstAck.run();
            }
          }
        };
    return TestWorker.startAt(
        wire.through(database.url()),
        config ->
            config
                .withLeaseDuration(Duration.ofMinutes(1))
                .withHandlers(HandlerDefaults.defaults().withMaxAttempts(1)),
        new StepModule(),
        probe);
  }
}
