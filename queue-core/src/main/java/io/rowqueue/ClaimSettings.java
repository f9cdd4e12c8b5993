package io.rowqueue;

import java.util.Locale;
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

  /** The four ways to take what was found in claim order, without locks. */
  public enum Kind {
    /** Locks what nobody else holds, and updates that: the default. */
    SKIP_LOCKED,
    /** Updates it, waiting for who holds it, and then reads which rows it has got. */
    UPDATE_LIMIT,
    /**
     * Picks some of the first hundred at random and updates each only if it is still as it was
     * read. Its order is loose.
     */
    OPTIMISTIC,
    /** Updates the first and lets the server say which it was; one a transaction. */
    LAST_INSERT_ID;

    /** The name as settings and the documentation write it, such as {@code skip-locked}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
