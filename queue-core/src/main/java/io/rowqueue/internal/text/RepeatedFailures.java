package io.rowqueue.internal.text;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the log lines about failures that may recur for ever: one a minute for each subject and
 * kind, with the number of those that were not logged. Thread-safe.
 */
public final class RepeatedFailures {

  private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private static final int DEEPEST = 20;

  private final LongSupplier nanos;
  private final Map<String, Logged> kinds = new HashMap<>();

  /** {@code nanos} is like {@link System#nanoTime()}. */
  public RepeatedFailures(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Counts {@code failure}.
   *
   * @return what to append to its log line; null if one of its kind was logged in the last minute
   */
  public synchronized @Nullable String add(String subject, Throwable failure) {
    String kind = subject + " " + kind(failure);
    Logged last = kinds.get(kind);
    long now = nanos.getAsLong();
    if (last != null && now - last.nanos < AGAIN_NANOS) {
      last.since++;
      return null;
    }
    kinds.put(kind, new Logged(now));
    return last == null || last.since == 0
        ? ""
        : " (and %d more since the last such line)".formatted(last.since);
  }

  /** The server's error code, or else the class of the root cause: texts contain changing parts. */
  private static String kind(Throwable failure) {
    String kind = "";
    Throwable current = failure;
    for (int depth = 0; current != null && depth < DEEPEST; depth++) {
      if (current instanceof SQLException error && error.getErrorCode() != 0) {
        return Integer.toString(error.getErrorCode());
      }
      kind = current.getClass().getName();
      current = current.getCause();
    }
    return kind;
  }

  private static final class Logged {

    private final long nanos;
    private int since;

    Logged(long nanos) {
      this.nanos = nanos;
    }
  }
}
