package io.rowqueue.testkit.internal.memory;

import io.rowqueue.MessageBatch;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A batch's row and its counts, in a single shard. Guarded by its {@link Memory}. */
final class MemoryBatch {

  final long id;
  final @Nullable NewMessage completion;
  final boolean holds;

  /** The shard of its parent batch. */
  final @Nullable Long parent;

  private final int shards;
  private final @Nullable String name;
  private final Instant createdAt;
  boolean sealed;
  boolean cancelled;
  @Nullable Instant completedAt;
  long total;
  long acked;
  long dead;
  long takenOut;

  MemoryBatch(long id, Opened opened, Instant now) {
    this.id = id;
    this.name = opened.name();
    this.shards = opened.shards();
    this.holds = opened.holds();
    this.completion = opened.completion();
    this.parent = opened.parent();
    this.createdAt = now;
  }

  /**
   * Its opening parameters.
   *
   * @param completion the completion message, as enqueued
   */
  record Opened(
      @Nullable String name,
      int shards,
      boolean holds,
      @Nullable NewMessage completion,
      @Nullable Long parent) {}

  /** Returns the value that its members refer to. */
  long shard() {
    return CounterShard.of(id, 0);
  }

  MessageBatch named() {
    return new MessageBatch(id, shards);
  }

  /** Returns whether it is closed and has no members left. */
  boolean isOver() {
    return sealed && left() <= 0;
  }

  /** Returns the number of its unfinished members. */
  long left() {
    return total - acked - takenOut - (holds ? 0 : dead);
  }

  BatchCounts counts() {
    return new BatchCounts(total, acked, dead, takenOut);
  }

  BatchDetails found() {
    return new BatchDetails(
        named(),
        name,
        parent == null ? null : CounterShard.batch(parent),
        sealed,
        cancelled,
        holds,
        counts(),
        createdAt,
        completedAt);
  }
}
