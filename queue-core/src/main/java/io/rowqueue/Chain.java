package io.rowqueue;

import io.rowqueue.internal.message.StoredText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of messages: the ack of each enqueues the next. Immutable and thread-safe; each method
 * returns a copy.
 *
 * <pre>{@code
 * Chain.of(fetch).then(resize).then(publish.withDelay(Duration.ofMinutes(5)))
 * }</pre>
 */
public final class Chain {

  private static final int MOST_STEPS = 1_000;
  private static final int LONGEST_NAME = 128;

  private final @Nullable String name;
  private final List<NewMessage> messages;

  private Chain(@Nullable String name, List<NewMessage> messages) {
    this.name = name;
    this.messages = List.copyOf(messages);
  }

  /** Starts with {@code first}, which is enqueued like any message. */
  public static Chain of(NewMessage first) {
    return new Chain(null, List.of(first));
  }

  /**
   * Appends {@code next}; its delay counts from the ack of the previous message.
   *
   * @throws InvalidMessageException if it has a due time, an ordering key or a deduplication key,
   *     or is the 1,001st
   */
  public Chain then(NewMessage next) {
    if (next.dueAt() != null) {
      throw new InvalidMessageException(
          "a step to '%s' is due when the previous message is acked; give it a delay, not a due time"
              .formatted(next.topic()));
    }
    if (messages.size() == MOST_STEPS) {
      throw new InvalidMessageException("a chain has at most 1,000 steps");
    }
    List<NewMessage> all = new ArrayList<>(messages);
    all.add(next.checkedToFollow());
    return new Chain(name, all);
  }

  /**
   * Sets a name for operators; names need not be unique.
   *
   * @param other 1 to 128 characters
   * @throws InvalidMessageException if it is empty or longer
   */
  public Chain named(String other) {
    return new Chain(StoredText.checked("the name of a chain", other, LONGEST_NAME), messages);
  }

  /** The name; null if it has none. */
  public @Nullable String name() {
    return name;
  }

  /** All messages in their order, at least one. */
  public List<NewMessage> messages() {
    return messages;
  }
}
