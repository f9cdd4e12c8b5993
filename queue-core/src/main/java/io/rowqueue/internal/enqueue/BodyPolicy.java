package io.rowqueue.internal.enqueue;

import io.rowqueue.spi.BodyStore;
import org.jspecify.annotations.Nullable;

/**
 * Where a producer puts payloads that do not belong into their rows.
 *
 * @param store null if all of them lie in chunks of the database's own
 * @param from how many bytes one has at least that goes to the store; so does what is streamed,
 *     since its length is known only behind it
 */
public record BodyPolicy(@Nullable BodyStore store, long from) {

  public BodyPolicy {
    if (from < 0) {
      throw new IllegalArgumentException("from must be at least 0, not " + from);
    }
  }

  public static final BodyPolicy ROWS = new BodyPolicy(null, 0);

  /** The store for one of so many bytes, or of nobody knows how many; null: in rows. */
  @Nullable BodyStore of(long bytes) {
    return bytes == ExternalBody.UNKNOWN || bytes >= from ? store : null;
  }
}
