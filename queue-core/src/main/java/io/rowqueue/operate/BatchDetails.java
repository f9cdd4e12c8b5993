package io.rowqueue.operate;

import io.rowqueue.MessageBatch;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A batch as it was looked at.
 *
 * @param batch its id and its leaves
 * @param name for people; null if it has none
 * @param parent the batch of which it is a member; null if it is none's
 * @param sealed whether nobody outside adds to it any more
 * @param cancelled whether somebody has cancelled it
 * @param holdsDeadLetters whether dead letters keep it open
 * @param counts what has become of its members
 * @param createdAt when it was opened, by the database's clock
 * @param completedAt when its last member was settled; null if one is not
 */
public record BatchDetails(
    MessageBatch batch,
    @Nullable String name,
    @Nullable Long parent,
    boolean sealed,
    boolean cancelled,
    boolean holdsDeadLetters,
    BatchCounts counts,
    Instant createdAt,
    @Nullable Instant completedAt) {

  /** In one word: open, running, cancelled or complete. */
  public String state() {
    if (completedAt != null) {
      return "complete";
    }
    if (cancelled) {
      return "cancelled";
    }
    return sealed ? "running" : "open";
  }
}
