package io.rowqueue.testkit;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AssertProvider;

/**
 * What a queue holds at one moment. Immutable. AssertJ's {@code assertThat(contents)} gives {@link
 * QueueAssert}.
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

  /** For AssertJ. */
  @Override
  public QueueAssert assertThat() {
    return new QueueAssert(this);
  }

  /** A line for each, for people. */
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
