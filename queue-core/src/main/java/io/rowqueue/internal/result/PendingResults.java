package io.rowqueue.internal.result;

import io.rowqueue.MessageId;
import io.rowqueue.internal.text.FailureText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All waits of a process, and the one thread that polls for them: when a wait begins, when a
 * notification has arrived, and once a second as long as there are waits. Thread-safe.
 */
final class PendingResults {

  private static final Logger LOG = LoggerFactory.getLogger(PendingResults.class);

  private static final long POLL_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  /** A second poll finds a result that is committed while the listener is between two sleeps. */
  private static final long AGAIN_NANOS = Duration.ofMillis(20).toNanos();

  private static final int MOST_IDS = 500;

  private final ResultReader polling;
  private final List<PendingResult> waits = new ArrayList<>();
  private boolean raised;
  private boolean closed;
  private long againNanos;
  private boolean again;

  /** Only used by the polling thread. */
  private boolean failing;

  PendingResults(ResultReader polling) {
    this.polling = polling;
  }

  /**
   * Begins a wait.
   *
   * @throws IllegalStateException if it is closed
   */
  synchronized PendingResult await(MessageId id) {
    checkOpen();
    PendingResult wait = new PendingResult(id, System.nanoTime());
    waits.add(wait);
    raise();
    return wait;
  }

  /** Rejects calls after close. */
  synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException("these Results are closed");
    }
  }

  /** A notification has arrived. */
  synchronized void notified() {
    again = true;
    againNanos = System.nanoTime() + AGAIN_NANOS;
    raise();
  }

  private synchronized void raise() {
    raised = true;
    notifyAll();
  }

  /** Whether there are waits. */
  synchronized boolean isAwaiting() {
    return !waits.isEmpty();
  }

  /** Polls until it is closed; never throws. */
  void pollUntilClosed() {
    while (awaitNextPoll()) {
      poll();
    }
  }

  /** Returns when the next poll is due; false if it is closed. */
  private synchronized boolean awaitNextPoll() {
    long next = System.nanoTime() + POLL_EVERY_NANOS;
    try {
      while (!closed && !raised && !isDue(next)) {
        long nanos = Math.min(next, again ? againNanos : next) - System.nanoTime();
        if (waits.isEmpty()) {
          wait();
        } else {
          TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
        }
      }
    } catch (InterruptedException e) {
      close();
    }
    if (again && !raised) {
      again = false;
    }
    raised = false;
    return !closed;
  }

  private boolean isDue(long next) {
    long now = System.nanoTime();
    return !waits.isEmpty() && (now - next >= 0 || (again && now - againNanos >= 0));
  }

  private void poll() {
    try {
      for (List<PendingResult> some : parts(open())) {
        Set<Long> ids = new HashSet<>();
        some.forEach(wait -> ids.add(wait.id().value()));
        Map<Long, ResultState> found = polling.find(ids);
        long now = System.nanoTime();
        some.forEach(wait -> wait.found(found.get(wait.id().value()), now));
      }
      forgetEnded();
      failing = false;
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable failure) {
    if (failing) {
      LOG.debug("polling for awaited results failed again", failure);
    } else {
      failing = true;
      LOG.warn(
          "polling for awaited results failed; it is repeated every second: {}",
          FailureText.of(failure));
    }
  }

  private synchronized List<PendingResult> open() {
    forgetEnded();
    return List.copyOf(waits);
  }

  /** Removes waits that have ended and waits whose callers have given up. */
  private synchronized void forgetEnded() {
    waits.removeIf(wait -> wait.future().isDone());
  }

  private static List<List<PendingResult>> parts(List<PendingResult> all) {
    List<List<PendingResult>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MOST_IDS) {
      parts.add(all.subList(from, Math.min(all.size(), from + MOST_IDS)));
    }
    return parts;
  }

  /** Ends every wait by a {@link CancellationException}. A poll that is running is the last. */
  synchronized void close() {
    closed = true;
    waits.forEach(wait -> wait.future().cancel(false));
    waits.clear();
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }
}
