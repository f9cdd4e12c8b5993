package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * How a batch is named, completes and counts. Immutable and thread-safe; each {@code with} method
 * returns a copy.
 *
 * <pre>{@code
 * BatchSettings.named("import 17").completingWith(NewMessage.of("import.done", run))
 * }</pre>
 */
public final class BatchSettings {

  /** The completion message's header that has the batch's id. */
  public static final String BATCH_HEADER = Headers.RESERVED + "batch";

  /** The one that says what became of its members: total, done, failed and cancelled. */
  public static final String COUNTS_HEADER = Headers.RESERVED + "batch-counts";

  private static final int LONGEST_NAME = 128;
  private static final int MOST_SHARDS = 64;

  /** Sixteen threads of two workers seldom meet in one. */
  private static final int LEAVES = 16;

  private final @Nullable String name;
  private final @Nullable NewMessage completion;
  private final boolean holdsDeadLetters;
  private final int shards;

  private BatchSettings(
      @Nullable String name,
      @Nullable NewMessage completion,
      boolean holdsDeadLetters,
      int shards) {
    this.name = name;
    this.completion = completion;
    this.holdsDeadLetters = holdsDeadLetters;
    this.shards = shards;
  }

  /** Without a name and without a completion message. */
  public static BatchSettings defaults() {
    return new BatchSettings(null, null, false, LEAVES);
  }

  /**
   * With a name for people; two batches may have the same.
   *
   * @param name 1 to 128 characters
   * @throws InvalidMessageException if it is empty or longer
   */
  public static BatchSettings named(String name) {
    return new BatchSettings(
        StoredText.checked("the name of a batch", name, LONGEST_NAME), null, false, LEAVES);
  }

  /**
   * Enqueues {@code message} in the transaction that settles the last member. Its headers {@link
   * #BATCH_HEADER} and {@link #COUNTS_HEADER} say of which batch, and what became of it.
   *
   * @throws InvalidMessageException if it has a due time, a delay, an ordering key or a
   *     deduplication key
   */
  public BatchSettings completingWith(NewMessage message) {
    if (!message.delay().isZero() || message.dueAt() != null) {
      throw new InvalidMessageException(
          "the completion message to '%s' is due when the batch completes; leave out its due time"
              .formatted(message.topic()));
    }
    return new BatchSettings(name, message.checkedToFollow(), holdsDeadLetters, shards);
  }

  /**
   * Waits for each dead letter until it is redriven and handled, or discarded. Without this a dead
   * letter counts as failed, and as settled.
   */
  public BatchSettings holdingDeadLetters() {
    return new BatchSettings(name, completion, true, shards);
  }

  /**
   * How many counters its members share, 16 by default. More threads wait less for each other; each
   * costs a row.
   *
   * @param count 1 to 64
   * @throws IllegalArgumentException if {@code count} is out of this range
   */
  public BatchSettings withShards(int count) {
    if (count < 1 || count > MOST_SHARDS) {
      throw new IllegalArgumentException("a batch has 1 to 64 leaves, not " + count);
    }
    return new BatchSettings(name, completion, holdsDeadLetters, count);
  }

  /** For people; null if it has none. */
  public @Nullable String name() {
    return name;
  }

  /** What is enqueued when it completes; null if nothing is. */
  public @Nullable NewMessage completion() {
    return completion;
  }

  /** Whether a dead letter keeps it open. */
  public boolean holdsDeadLetters() {
    return holdsDeadLetters;
  }

  /** How many counters its members share. */
  public int shards() {
    return shards;
  }
}
