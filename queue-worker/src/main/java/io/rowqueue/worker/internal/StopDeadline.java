package io.rowqueue.worker.internal;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the worker's connections when a step of its stop exceeds its time: with an unreachable
 * server, the stop would otherwise wait for the socket timeouts. Threads that wait for an answer
 * then fail, and the stop continues.
 */
final class StopDeadline implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StopDeadline.class);

  /** In addition to the time for running handlers. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final CountDownLatch over = new CountDownLatch(1);

  private StopDeadline() {}

  /** Starts the countdown; {@code cut} runs on a thread of its own. */
  static StopDeadline after(Duration handlers, Runnable cut) {
    StopDeadline deadline = new StopDeadline();
    Thread thread =
        new Thread(() -> deadline.awaitOr(handlers.plus(MARGIN), cut), "queue-stop-deadline");
    thread.setDaemon(true);
    thread.start();
    return deadline;
  }

  private void awaitOr(Duration longest, Runnable cut) {
    try {
      if (!over.await(longest.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn(
            "shutdown has waited {} for the database; closing its connections",
            Humanize.duration(longest));
        cut.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Cancels the countdown. */
  @Override
  public void close() {
    over.countDown();
  }
}
