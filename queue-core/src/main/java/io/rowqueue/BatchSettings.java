package io.rowqueue;

import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * A batch's name, completion message and counters. Immutable and thread-safe; each {@code with}
 * method returns a copy.
 *
 * <pre>{@code
 * BatchSettings.named("import 17").completingWith(NewMessage.of("import.done", run))
 * }</pre>
 */
public final class BatchSettings {

  /** The completion message's header with the batch's id. */
  public static final String BATCH_HEADER = Headers.RESERVED + "batch";

  /**
   * The completion message's header with the counts of members: total, done, failed and cancelled.
   */
  public static final String COUNTS_HEADER = Headers.RESERVED + "batch-counts";

  private static final int LONGEST_NAME = 128;
  private static final int MOST_SHARDS = 64;

  /** With this many, sixteen threads of two workers rarely wait for the same shard. */
  private static final int SHARDS = 16;

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
    return new BatchSettings(null, null, false, SHARDS);
  }

  /**
   * Sets a name for operators; names need not be unique.
   *
   * @param name 1 to 128 characters
   * @throws InvalidMessageException if it is empty or longer
   */
  public static BatchSettings named(String name) {
    return new BatchSettings(
        StoredText.checked("the name of a batch", name, LONGEST_NAME), null, false, SHARDS);
  }

  /**
   * Enqueues {@code message} in the transaction that settles the last member. Its headers {@link
   * #BATCH_HEADER} and {@link #COUNTS_HEADER} contain the batch's id and the counts of its members.
   *
   * @throws InvalidMessageException if it has a due time, a delay, an ordering key or a
   *     deduplication key
   */
  public BatchSettings completingWith(NewMessage message) {
    if (!message.delay().isZero() || message.dueAt() != null) {
      throw new InvalidMessageException(
          "the completion message to '%s' is due when the batch completes; remove its due time"
              .formatted(message.topic()));
    }
    return new BatchSettings(name, message.checkedToFollow(), holdsDeadLetters, shards);
  }

  /**
   * Waits for each dead letter until it is redriven and handled, or discarded. By default a dead
   * letter counts as failed and settled.
   */
  public BatchSettings holdingDeadLetters() {
    return new BatchSettings(name, completion, true, shards);
  }

  /**
   * Sets the number of counters that the members share, 16 by default. With more, threads wait less
   * for each other; each is a row.
   *
   * @param count 1 to 64
   * @throws IllegalArgumentException if {@code count} is out of this range
   */
  public BatchSettings withShards(int count) {
    if (count < 1 || count > MOST_SHARDS) {
      throw new IllegalArgumentException("a batch has 1 to 64 shards, not " + count);
    }
    return new BatchSettings(name, completion, holdsDeadLetters, count);
  }

  /** The name; null if it has none. */
  public @Nullable String name() {
    return name;
  }

  /** The message enqueued at completion; null if there is none. */
  public @Nullable NewMessage completion() {
    return completion;
  }

  /** Whether a dead letter keeps the batch open. */
  public boolean holdsDeadLetters() {
    return holdsDeadLetters;
  }

  /** The number of counters that its members share. */
  public int shards() {
    return shards;
  }
}
