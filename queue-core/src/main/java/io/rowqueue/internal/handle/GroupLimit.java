package io.rowqueue.internal.handle;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many threads one binding uses while its messages share commits. Each thread holds a
 * connection, and handlers that are limited by the processors or the server gain nothing from more
 * of them: their groups only become smaller. Handlers that wait for something else do gain, so the
 * limit is doubled or halved from time to time, and keeps the value that handles more. Thread-safe.
 *
 * <p>Each trial lies between two measurements without it, since a worker that has just started
 * becomes faster by itself.
 */
final class GroupLimit {

  static final int LEAST = 4;

  /** Groups that are measured under one limit. */
  static final int MEASURED = 32;

  /** Twice the threads must handle at least this many times as much. */
  private static final double WORTHWHILE = 1.2;

  static final Duration BETWEEN_TRIALS = Duration.ofMinutes(1);

  /** A thread that has been in use for longer does not count, so that others may take messages. */
  static final Duration OVERDUE = Duration.ofMillis(50);

  private final Map<Object, Long> running = new LinkedHashMap<>();
  private int limit = LEAST;
  private int chosen = LEAST;
  private int tried = LEAST;
  private double rateBefore;
  private double rateTried;
  private Phase phase = Phase.BEFORE;
  private boolean more = true;

  /** Groups that began earlier, under another limit or before a pause, are not measured. */
  private @Nullable Long sinceNanos;

  private int groups;
  private long messages;
  private long nanos;
  private long concurrent;

  /** Returns how many threads the binding may use at {@code now}, a nanosecond time. */
  synchronized int threads(long now) {
    if (running.size() < limit) {
      return limit;
    }
    int overdue = 0;
    for (long start : running.values()) {
      if (now - start <= OVERDUE.toNanos()) {
        break;
      }
      overdue++;
    }
    return limit + overdue;
  }

  /** Records that {@code thread} begins at {@code now}. */
  synchronized void begin(Object thread, long now) {
    running.put(thread, now);
  }

  /** Records that {@code thread} has ended without a group. */
  synchronized void end(Object thread) {
    running.remove(thread);
  }

  /** Records that {@code thread} has ended a group of {@code count} messages at {@code now}. */
  synchronized void end(Object thread, int count, long now) {
    int atOnce = running.size();
    Long start = running.remove(thread);
    if (start == null || (sinceNanos != null && start - sinceNanos < 0)) {
      return;
    }
    groups++;
    messages += count;
    nanos += now - start;
    concurrent += atOnce;
    if (groups == MEASURED) {
      measured((double) messages / Math.max(1, nanos) * concurrent / groups, now);
      groups = 0;
      messages = 0;
      nanos = 0;
      concurrent = 0;
    }
  }

  private void measured(double rate, long now) {
    long pause = 0;
    switch (phase) {
      case BEFORE -> {
        tried = more ? 2 * chosen : Math.max(LEAST, chosen / 2);
        more |= tried == chosen;
        rateBefore = rate;
        limit = tried;
        phase = tried == chosen ? Phase.BEFORE : Phase.TRIAL;
      }
      case TRIAL -> {
        rateTried = rate;
        limit = chosen;
        phase = Phase.AFTER;
      }
      case AFTER -> {
        double without = Math.max(rateBefore, rate);
        boolean better =
            tried > chosen ? rateTried >= WORTHWHILE * without : WORTHWHILE * rateTried >= without;
        if (better) {
          chosen = tried;
          limit = tried;
        } else {
          more = !more;
          pause = BETWEEN_TRIALS.toNanos();
        }
        phase = Phase.BEFORE;
      }
    }
    sinceNanos = now + pause;
  }

  /** What is being measured. */
  private enum Phase {
    BEFORE,
    TRIAL,
    AFTER
  }
}
