package io.rowqueue.operate;

import io.rowqueue.MessageBatch;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A batch as it was read.
 *
 * @param batch its id and its number of shards
 * @param name its name; null if it has none
 * @param parent the batch of which it is a member; null if there is none
 * @param sealed whether it is closed for members from outside
 * @param cancelled whether it was cancelled
 * @param holdsDeadLetters whether dead letters keep it open
 * @param counts the counts of its members
 * @param createdAt when it was opened, by the database's clock
 * @param completedAt when its last member was settled; null while one is not
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

  /** The state in one word: open, running, cancelled or complete. */
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
