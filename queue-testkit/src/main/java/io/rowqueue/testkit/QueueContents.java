package io.rowqueue.testkit;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AssertProvider;

/**
 * A snapshot of a queue's contents. Immutable. AssertJ's {@code assertThat(contents)} returns
 * {@link QueueAssert}.
 *
 * @param messages by id
 * @param deadLetters by id
 */
public record QueueContents(List<QueuedMessage> messages, List<DeadMessage> deadLetters)
    implements AssertProvider<QueueAssert> {

  /** Keeps copies. */
  public QueueContents {
    messages = List.copyOf(messages);
    deadLetters = List.copyOf(deadLetters);
  }

  /** Used by AssertJ. */
  @Override
  public QueueAssert assertThat() {
    return new QueueAssert(this);
  }

  /** Formats each message as one line. */
  @Override
  public String toString() {
    if (messages.isEmpty() && deadLetters.isEmpty()) {
      return "  nothing";
    }
    return Stream.concat(messages.stream(), deadLetters.stream())
        .map(each -> "  " + each)
        .collect(Collectors.joining("\n"));
  }
}
