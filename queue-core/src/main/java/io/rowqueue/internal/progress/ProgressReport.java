package io.rowqueue.internal.progress;

import io.rowqueue.internal.claim.ClaimKey;
import org.jspecify.annotations.Nullable;

/**
 * A handler's report of its progress.
 *
 * @param claim the claim being handled
 * @param done how much is done; not negative
 * @param total how much there is; null if unknown
 * @param note a text for operators; at most {@link #NOTE} characters
 */
public record ProgressReport(ClaimKey claim, long done, @Nullable Long total, String note) {

  /** The maximum length of a note; longer ones are truncated. */
  public static final int NOTE = 255;

  /**
   * Truncates the note.
   *
   * @throws IllegalArgumentException if a number is negative
   */
  public ProgressReport {
    if (done < 0 || (total != null && total < 0)) {
      throw new IllegalArgumentException(
          "progress must not be negative: %d of %s".formatted(done, total));
    }
    note = cut(note);
  }

  private static String cut(String note) {
    if (note.length() <= NOTE) {
      return note;
    }
    // Does not split a surrogate pair.
    return note.substring(0, Character.isHighSurrogate(note.charAt(NOTE - 1)) ? NOTE - 1 : NOTE);
  }
}
