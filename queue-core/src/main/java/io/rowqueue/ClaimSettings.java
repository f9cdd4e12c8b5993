package io.rowqueue;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a worker claims. Immutable.
 *
 * @param strategy one of the four; null for the best that the server supports
 * @param cursor whether a claim starts where the last one ended, and not at the first row that an
 *     old snapshot keeps; only {@link Kind#SKIP_LOCKED} and {@link Kind#UPDATE_LIMIT} support it
 */
public record ClaimSettings(@Nullable Kind strategy, boolean cursor) {

  /** The server's best strategy, with the cursor. */
  public static ClaimSettings defaults() {
    return new ClaimSettings(null, true);
  }

  /** A copy with another strategy. */
  public ClaimSettings withStrategy(Kind kind) {
    return new ClaimSettings(kind, cursor);
  }

  /** A copy with or without the cursor. */
  public ClaimSettings withCursor(boolean used) {
    return new ClaimSettings(strategy, used);
  }

  /** The four ways to claim candidates that were found in claim order, without locks. */
  public enum Kind {
    /** Locks the candidates that no other transaction has locked, and updates them: the default. */
    SKIP_LOCKED,
    /** Updates candidates, waiting for locked ones, and then reads which rows it has updated. */
    UPDATE_LIMIT,
    /**
     * Picks some of the first hundred at random and updates each only if it is unchanged. The order
     * is approximate.
     */
    OPTIMISTIC,
    /** Updates the first row and lets the server return its id; one per transaction. */
    LAST_INSERT_ID;

    /** The name in settings and in the documentation, such as {@code skip-locked}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
