package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.proof.process.Wire;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server that is gone without a word: sockets wait for a minute and more. */
@QueueTest
class SilentServerIT {

  /** Much less than a socket waits for an answer. */
  private static final long LONGEST_STOP_SECONDS = 30;

  @Test
  void stop_whileNothingComesFromTheServer_endsLongBeforeTheSocketsGiveUp(QueueDatabase database)
      throws Exception {
    Orders.openBooks(database);
    CountDownLatch silent = new CountDownLatch(1);
    try (Wire wire = Wire.to(database.url())) {
      TestWorker worker =
          TestWorker.startAt(
              wire.through(database.url()),
              config -> config,
              Handlers.bind(
                  "order",
                  (order, context) -> {
                    Orders.write(order, context);
                    wire.freeze();
                    silent.countDown();
                    Orders.write(order, context);
                  },
                  HandlerSettings.defaults()));
      Orders.enqueue(database, 1);
      assertThat(silent.await(Orders.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> stop = CompletableFuture.runAsync(worker::close);
      assertThat(stop).succeedsWithin(LONGEST_STOP_SECONDS, TimeUnit.SECONDS);
    }
    assertThat(database.count(Orders.HANDLED)).isZero();
  }
}
