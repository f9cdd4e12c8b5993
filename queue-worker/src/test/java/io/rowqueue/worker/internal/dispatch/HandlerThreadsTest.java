package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Guice;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerThreadsTest {

  private static final Topic ORDER = new Topic("order");

  private final WorkerThreads threads = Guice.createInjector().getInstance(WorkerThreads.class);
  private final DispatchQueue queue =
      new DispatchQueue(topic -> 1, topic -> 1, topic -> 1, UnaryOperator.identity());

  /** How many threads were busy at each wake-up of the claimer. */
  private final BlockingQueue<Integer> wakeUps = new LinkedBlockingQueue<>();

  /** Without what handles a message: no claim is begun here. */
  @SuppressWarnings("NullAway")
  private final HandlerThreads handlers =
      new HandlerThreads(
          1,
          topic -> 1,
          threads,
          Thread::new,
          queue,
          new InFlight(1),
          null,
          null,
          null,
          topic -> wakeUps.add(this.handlers.busy()));

  @AfterEach
  void stop() {
    queue.close();
    threads.stop();
  }

  /** Before that it counts as busy, and a claimer that looked then would claim nothing for it. */
  @Test
  void thread_thatIsIdleAgain_wakesTheClaimer() throws InterruptedException {
    handlers.startMissing();
    queue.add(
        new Claim(
            new MessageId(1),
            ORDER,
            LockId.create("me", 1),
            1,
            0,
            0,
            false,
            Instant.EPOCH,
            null,
            new Body(true, new byte[0], null, 0, 0)));
    assertThat(wakeUps.poll(20, TimeUnit.SECONDS)).isZero();
  }
}
