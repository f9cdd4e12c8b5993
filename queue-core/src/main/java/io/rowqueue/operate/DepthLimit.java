package io.rowqueue.operate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The back-pressure limit of a topic. If both values are set, the topic is over its limit only
 * while it exceeds both.
 *
 * @param depth maximum number of waiting messages; null if only the age counts
 * @param age maximum wait of the oldest message, in whole seconds; null if only the depth counts
 */
public record DepthLimit(@Nullable Long depth, @Nullable Duration age) {

  /** No limit. */
  public static final DepthLimit NONE = new DepthLimit(null, null);

  /** Hysteresis: a full topic stays full until it is well below its limit, or it would flap. */
  private static final double FREE_AGAIN = 0.9;

  /** Whether there is no limit. */
  public boolean isNone() {
    return depth == null && age == null;
  }

  /**
   * Whether a topic is over this limit.
   *
   * @param waiting the number of its waiting messages
   * @param oldest how long the oldest of them has waited
   * @param before whether it was over its limit already; then it is until it is 10 % below
   */
  public boolean isExceeded(long waiting, Duration oldest, boolean before) {
    if (isNone()) {
      return false;
    }
    double share = before ? FREE_AGAIN : 1;
    boolean tooDeep = depth == null || waiting > share * depth;
    boolean tooOld = age == null || oldest.toMillis() > share * age.toMillis();
    return tooDeep && tooOld;
  }

  /** Formats the limit for operators, for example {@code 1000 waiting and 300 s}. */
  @Override
  public String toString() {
    if (depth == null || age == null) {
      return depth == null ? age == null ? "no limit" : age.toSeconds() + " s" : depth + " waiting";
    }
    return "%d waiting and %d s".formatted(depth, age.toSeconds());
  }
}
