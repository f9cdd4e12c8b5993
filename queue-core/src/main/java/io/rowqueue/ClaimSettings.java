package io.rowqueue;

import io.rowqueue.internal.claim.ClaimStrategy.Kind;
import org.jspecify.annotations.Nullable;

/**
 * How a worker claims. Immutable.
 *
 * @param strategy one of the four; null means the best that the server has
 * @param cursor whether a claim begins where the last one ended, and not at the first row that an
 *     old snapshot keeps; only {@link Kind#SKIP_LOCKED} and {@link Kind#UPDATE_LIMIT} know how
 */
public record ClaimSettings(@Nullable Kind strategy, boolean cursor) {

  /** What the server has, with the cursor. */
  public static ClaimSettings defaults() {
    return new ClaimSettings(null, true);
  }

  /** The same with another strategy. */
  public ClaimSettings withStrategy(Kind kind) {
    return new ClaimSettings(kind, cursor);
  }

  /** The same with or without the cursor. */
  public ClaimSettings withCursor(boolean used) {
    return new ClaimSettings(strategy, used);
  }
}
