package io.rowqueue.worker.internal;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts the worker's connections when a part of its stop takes longer than it may: a server that is
 * gone without a word would hold the stop up for as long as the sockets wait for answers. Whoever
 * waits for one then fails, and the stop goes on.
 */
final class StopDeadline implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StopDeadline.class);

  /** Beyond the time that running handlers are given. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final CountDownLatch over = new CountDownLatch(1);

  private StopDeadline() {}

  /** Counts from now; {@code cut} runs on a thread of its own. */
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

  /** That part of the stop is over. */
  @Override
  public void close() {
    over.countDown();
  }
}
