package io.rowqueue.internal.progress;

import io.rowqueue.internal.claim.ClaimKey;
import org.jspecify.annotations.Nullable;

/**
 * What a handler has said of one handling.
 *
 * @param claim the handling
 * @param done how much is done; not negative
 * @param total how much there is; null if nobody knows
 * @param note what people read; at most {@link #NOTE} characters
 */
public record ProgressReport(ClaimKey claim, long done, @Nullable Long total, String note) {

  /** The longest note; the rest of a longer one is cut off. */
  public static final int NOTE = 255;

  /**
   * Cuts the note.
   *
   * @throws IllegalArgumentException if a number is negative
   */
  public ProgressReport {
    if (done < 0 || (total != null && total < 0)) {
      throw new IllegalArgumentException(
          "progress counts from 0 on, and is not %d of %s".formatted(done, total));
    }
    note = cut(note);
  }

  private static String cut(String note) {
    if (note.length() <= NOTE) {
      return note;
    }
    // Not between the two halves of one character.
    return note.substring(0, Character.isHighSurrogate(note.charAt(NOTE - 1)) ? NOTE - 1 : NOTE);
  }
}
