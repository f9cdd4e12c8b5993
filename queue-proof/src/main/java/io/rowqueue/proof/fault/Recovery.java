package io.rowqueue.proof.fault;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Watches, beside a fault, the claims that were in flight when it struck, until each of them has
 * been settled or reaped.
 */
final class Recovery {

  /** The claims that are in flight, each as id and claim number. */
  static final String IN_FLIGHT =
      "SELECT CONCAT(id, ':', claims) FROM queue_message WHERE state = 1";

  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final long BETWEEN_LOOKS_MILLIS = 15;

  private final FutureTask<Duration> took;

  private Recovery(FutureTask<Duration> took) {
    this.took = took;
  }

  /** Begins to watch {@code claims}. */
  static Recovery watch(QueueDatabase database, Set<String> claims) {
    long since = System.nanoTime();
    FutureTask<Duration> watching =
        new FutureTask<>(
            () -> {
              awaitEnd(database, new HashSet<>(claims));
              return Duration.ofNanos(System.nanoTime() - since);
            });
    Thread thread = new Thread(watching, "recovery");
    thread.setDaemon(true);
    thread.start();
    return new Recovery(watching);
  }

  private static void awaitEnd(QueueDatabase database, Set<String> left) {
    try (Inspector inspector = new Inspector(database)) {
      Await.until(
          "the claims of before the fault end",
          LONGEST,
          () -> left.retainAll(look(inspector)),
          any -> left.isEmpty());
    }
  }

  private static List<String> look(Inspector inspector) throws SQLException {
    Pauses.millis(BETWEEN_LOOKS_MILLIS);
    return inspector.strings(IN_FLIGHT);
  }

  /** How long it took; null if one of them never ends. */
  @Nullable Duration await() throws InterruptedException {
    try {
      return took.get();
    } catch (ExecutionException e) {
      return null;
    }
  }
}
