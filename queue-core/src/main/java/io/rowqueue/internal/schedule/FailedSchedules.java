package io.rowqueue.internal.schedule;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schedules that this process skips for a while after a failure. Each reason is logged once.
 * Thread-safe.
 */
final class FailedSchedules {

  private static final Logger LOG = LoggerFactory.getLogger(FailedSchedules.class);

  private final Map<String, Left> left = new ConcurrentHashMap<>();

  private record Left(long untilNanos, String why) {}

  /** Skips {@code name} for {@code time}. */
  void snooze(String name, Duration time, Exception failure) {
    String why = String.valueOf(failure.getMessage());
    Left before = left.put(name, new Left(System.nanoTime() + time.toNanos(), why));
    if (before == null || !before.why.equals(why)) {
      LOG.warn(
          "schedule {} cannot run on this worker, which tries again every {}: {}",
          name,
          Humanize.duration(time),
          why);
    } else {
      LOG.debug("schedule {} still cannot run on this worker: {}", name, why);
    }
  }

  /** It runs again, or another worker has run it. */
  void clear(String name) {
    left.remove(name);
  }

  /** The schedules that are still skipped. */
  Set<String> names() {
    if (left.isEmpty()) {
      return Set.of();
    }
    long now = System.nanoTime();
    return left.entrySet().stream()
        .filter(entry -> entry.getValue().untilNanos - now > 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }
}
