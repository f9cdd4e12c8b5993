package io.rowqueue.internal.listen;

import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.text.FailureText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the sleep of processes that await results. A process that was woken a moment ago polls again
 * after 20 ms and needs no second notification before that. Thread-safe.
 */
final class ResultNotifier {

  private static final Logger LOG = LoggerFactory.getLogger(ResultNotifier.class);

  private static final long LEAST_INTERVAL_NANOS = Duration.ofMillis(5).toNanos();
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /** The width of the column; the header may contain anything. */
  private static final int LONGEST = 64;

  /** Bounds the memory, because processes come and go. */
  private static final int MOST_REMEMBERED = 1_000;

  private final Map<String, Long> notified = new ConcurrentHashMap<>();
  private final AtomicBoolean said = new AtomicBoolean();
  private volatile long failedNanos = System.nanoTime() - PAUSE_NANOS;

  /** Wakes those of {@code waiters} that sleep on this server. */
  void notifyWaiters(Collection<String> waiters, Connection idle) {
    long now = System.nanoTime();
    if (now - failedNanos < PAUSE_NANOS) {
      return;
    }
    List<String> due = waiters.stream().filter(waiter -> mayNotify(waiter, now)).toList();
    if (due.isEmpty()) {
      return;
    }
    try {
      wake(due, idle);
    } catch (SQLException | RuntimeException e) {
      failed(e);
    }
  }

  private boolean mayNotify(String waiter, long now) {
    if (waiter.length() > LONGEST) {
      return false;
    }
    if (notified.size() > MOST_REMEMBERED) {
      notified.values().removeIf(last -> now - last > LEAST_INTERVAL_NANOS);
    }
    Long last = notified.get(waiter);
    if (last != null && now - last < LEAST_INTERVAL_NANOS) {
      return false;
    }
    return last == null
        ? notified.putIfAbsent(waiter, now) == null
        : notified.replace(waiter, last, now);
  }

  private static void wake(List<String> waiters, Connection idle) throws SQLException {
    var unused =
        AutoCommitSession.read(
            idle,
            connection -> {
              List<Long> asleep = Listeners.asleep(connection, waiters);
              for (long id : asleep) {
                ListenerSleep.end(connection, id);
              }
              return asleep;
            });
  }

  private void failed(Exception failure) {
    if (TransientFailures.isTransient(failure)) {
      LOG.debug("a notification of a result failed; the waiting process polls", failure);
      return;
    }
    failedNanos = System.nanoTime();
    String consequence = "processes that await results find them by polling, up to a second later";
    if (said.compareAndSet(false, true)) {
      LOG.warn("a notification of a result failed ({}); {}", FailureText.of(failure), consequence);
    } else {
      LOG.debug("a notification of a result failed again", failure);
    }
  }
}
