package io.rowqueue.testkit;

import io.rowqueue.testkit.QueuedMessage.State;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about a queue's contents at the time of {@code assertThat}. Failures show the
 * contents. Confined to one thread.
 *
 * <pre>{@code
 * assertThat(queue).hasEnqueued("email.send").withPayload(email).scheduledIn(ofMinutes(5)).once()
 *     .andNothingElse();
 * assertThat(queue).hasDeadLetter("order.placed").withReason(DeadLetterReason.PERMANENT_FAILURE);
 * }</pre>
 */
public final class QueueAssert extends AbstractAssert<QueueAssert, QueueContents> {

  /** Asserts about {@code contents}. */
  public QueueAssert(QueueContents contents) {
    super(contents, QueueAssert.class);
  }

  /** Has a message of {@code topic} in any state; continues with assertions about it. */
  public EnqueuedAssert hasEnqueued(String topic) {
    return EnqueuedAssert.of(actual, topic);
  }

  /** Has no message of {@code topic}. */
  public QueueAssert hasNothingOf(String topic) {
    return has(0, "message of '" + topic + "'", message -> message.topic().equals(topic));
  }

  /** Has no message in any state, apart from dead letters. */
  public QueueAssert isEmpty() {
    return has(0, "message", message -> true);
  }

  /** Has this number of waiting messages: available, scheduled or blocked. */
  public QueueAssert hasDepth(int count) {
    return has(count, "waiting message", message -> message.state() != State.IN_FLIGHT);
  }

  /** Has this number of waiting messages of one topic. */
  public QueueAssert hasDepth(String topic, int count) {
    return has(
        count,
        "waiting message of '" + topic + "'",
        each -> each.state() != State.IN_FLIGHT && each.topic().equals(topic));
  }

  /** Has this number of messages in flight. */
  public QueueAssert hasInFlight(int count) {
    return has(count, "message in flight", message -> message.state() == State.IN_FLIGHT);
  }

  /** Has a dead letter of {@code topic}; continues with assertions about it. */
  public DeadLetterAssert hasDeadLetter(String topic) {
    return DeadLetterAssert.of(actual, topic);
  }

  /** Has no dead letter. */
  public QueueAssert hasNoDeadLetters() {
    if (!actual.deadLetters().isEmpty()) {
      throw failure("expected no dead letter; the queue has:%n%s", actual);
    }
    return this;
  }

  private QueueAssert has(int count, String what, Predicate<QueuedMessage> counted) {
    long there = actual.messages().stream().filter(counted).count();
    if (there != count) {
      throw failure(
          "expected %s, and there %s %d; the queue has:%n%s",
          count == 0 ? "no " + what : count + " times a " + what,
          there == 1 ? "is" : "are",
          there,
          actual);
    }
    return this;
  }
}
