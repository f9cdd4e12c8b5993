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
 * The schedules that this process leaves alone for a while, and why. What is left again for the
 * same reason is not said again. Thread-safe.
 */
final class FailedSchedules {

  private static final Logger LOG = LoggerFactory.getLogger(FailedSchedules.class);

  private final Map<String, Left> left = new ConcurrentHashMap<>();

  private record Left(long untilNanos, String why) {}

  /** Leaves {@code name} alone for {@code time}. */
  void snooze(String name, Duration time, Exception failure) {
    String why = String.valueOf(failure.getMessage());
    Left before = left.put(name, new Left(System.nanoTime() + time.toNanos(), why));
    if (before == null || !before.why.equals(why)) {
      LOG.warn(
          "schedule {} does not fire here and is tried again every {}: {}",
          name,
          Humanize.duration(time),
          why);
    } else {
      LOG.debug("schedule {} still does not fire here: {}", name, why);
    }
  }

  /** It fires again, or somebody else has fired it. */
  void clear(String name) {
    left.remove(name);
  }

  /** Those whose time is not over. */
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
