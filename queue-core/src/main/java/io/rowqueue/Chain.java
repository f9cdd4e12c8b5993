package io.rowqueue;

import io.rowqueue.internal.message.StoredText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of which each is enqueued by the ack of the one before. Immutable and thread-safe; each
 * method returns a copy.
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

  /** Begins with {@code first}, which is enqueued like any message. */
  public static Chain of(NewMessage first) {
    return new Chain(null, List.of(first));
  }

  /**
   * Goes on with {@code next}; its delay counts from the ack of the one before.
   *
   * @throws InvalidMessageException if it has a due time, an ordering key or a deduplication key,
   *     or is the 1,001st
   */
  public Chain then(NewMessage next) {
    if (next.dueAt() != null) {
      throw new InvalidMessageException(
          "a step to '%s' is due when the one before it is acked; give it a delay, not a due time"
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
   * With a name for people; two chains may have the same.
   *
   * @param other 1 to 128 characters
   * @throws InvalidMessageException if it is empty or longer
   */
  public Chain named(String other) {
    return new Chain(StoredText.checked("the name of a chain", other, LONGEST_NAME), messages);
  }

  /** For people; null if it has none. */
  public @Nullable String name() {
    return name;
  }

  /** All of them in their order, at least one. */
  public List<NewMessage> messages() {
    return messages;
  }
}
