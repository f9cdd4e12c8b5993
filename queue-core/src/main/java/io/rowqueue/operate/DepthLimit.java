package io.rowqueue.operate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * From when on a topic is overfull: when more messages wait than it says, and the oldest for
 * longer.
 *
 * @param depth the most that may wait; null if the age alone decides
 * @param age the longest that the oldest may wait, to the second; null if the depth alone decides
 */
public record DepthLimit(@Nullable Long depth, @Nullable Duration age) {

  /** Never. */
  public static final DepthLimit NONE = new DepthLimit(null, null);

  /** Whoever was overfull is so until it is well below its limit, or it would flutter. */
  private static final double FREE_AGAIN = 0.9;

  /** Whether it is never overfull. */
  public boolean isNone() {
    return depth == null && age == null;
  }

  /**
   * Whether a topic is overfull in which {@code waiting} messages wait, the oldest for so long.
   *
   * @param before whether it was overfull already: it is until it is well below its limit
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

  /** For people, such as {@code 1000 waiting and 300 s}. */
  @Override
  public String toString() {
    if (depth == null || age == null) {
      return depth == null ? age == null ? "no limit" : age.toSeconds() + " s" : depth + " waiting";
    }
    return "%d waiting and %d s".formatted(depth, age.toSeconds());
  }
}
