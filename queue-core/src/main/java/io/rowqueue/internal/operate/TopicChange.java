package io.rowqueue.internal.operate;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.TopicSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Checks only settings that change, because a row that was written by SQL may exceed the ranges.
 */
public final class TopicChange {

  private static final Duration LONGEST_AGE = Duration.ofDays(3_653);
  private static final String OF_A_TOPIC = "a topic may have 1 to %,d ";

  private TopicChange() {}

  /**
   * Applies {@code change} to {@code before}, and truncates the age to whole seconds.
   *
   * @throws IllegalArgumentException if a changed setting is out of its range
   */
  public static TopicSettings apply(TopicSettings before, UnaryOperator<TopicSettings> change) {
    TopicSettings after = change.apply(before);
    check(
        before.retentionDays(),
        after.retentionDays(),
        36_500,
        "the retention may be 1 to %d days, not %d");
    check(
        before.maxInFlight(),
        after.maxInFlight(),
        1_000,
        OF_A_TOPIC + "concurrent handler calls, not %d");
    check(
        before.maxPerSecond(),
        after.maxPerSecond(),
        1_000_000,
        OF_A_TOPIC + "messages per second, not %d");
    check(
        before.keyInFlight(),
        after.keyInFlight(),
        1_000,
        OF_A_TOPIC + "concurrent messages per ordering key, not %d");
    check(
        before.keyPerSecond(),
        after.keyPerSecond(),
        1_000_000,
        OF_A_TOPIC + "messages per ordering key and second, not %d");
    check(before.weight(), after.weight(), 1_000, "the weight may be 1 to %,d, not %d");
    check(
        before.maxDepth(),
        after.maxDepth(),
        Long.MAX_VALUE,
        "the depth limit must be at least 1 message, not %2$d");
    Duration age = after.maxAge();
    if (age == null || age.equals(before.maxAge())) {
      return after;
    }
    if (age.toSeconds() < 1 || age.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "the age limit may be 1 second to ten years, not " + Humanize.duration(age));
    }
    return after.withMaxAge(Duration.ofSeconds(age.toSeconds()));
  }

  private static void check(
      @Nullable Number before, @Nullable Number after, long most, String refusal) {
    if (after != null
        && !Objects.equals(after, before)
        && (after.longValue() < 1 || after.longValue() > most)) {
      throw new IllegalArgumentException(refusal.formatted(most, after));
    }
  }
}
