package io.rowqueue.testkit;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Assertions about the messages enqueued to a topic: each method keeps the matching ones, and fails
 * with the queue's contents if none is left. Confined to one thread.
 */
public final class EnqueuedAssert {

  private final QueueContents all;
  private final Set<Long> named;
  private final List<QueuedMessage> left;
  private final String wanted;

  private EnqueuedAssert(
      QueueContents all, Set<Long> named, List<QueuedMessage> left, String wanted) {
    this.all = all;
    this.named = named;
    this.left = left;
    this.wanted = wanted;
  }

  /**
   * Selects those of {@code topic} among {@code all}.
   *
   * @throws AssertionError if there is none
   */
  public static EnqueuedAssert of(QueueContents all, String topic) {
    return new EnqueuedAssert(all, new TreeSet<>(), all.messages(), "a message")
        .keeping("to '" + topic + "'", message -> message.topic().equals(topic));
  }

  /** Have {@code payload}, compared as JSON. */
  public EnqueuedAssert withPayload(Object payload) {
    return keeping(
        "with payload " + Payloads.text(payload),
        message -> Payloads.isEqual(message.payload(), payload));
  }

  /** Have a payload of {@code type} that {@code fits}. */
  public <T> EnqueuedAssert withPayload(Class<T> type, Predicate<? super T> fits) {
    return keeping(
        "with a " + type.getSimpleName() + " that fits",
        message -> {
          try {
            return fits.test(message.payloadAs(type));
          } catch (PayloadException e) {
            return false;
          }
        });
  }

  /** Have this header. */
  public EnqueuedAssert withHeader(String name, String value) {
    return keeping(
        "with header %s: %s".formatted(name, value),
        message -> value.equals(message.headers().get(name)));
  }

  /** Have this priority. */
  public EnqueuedAssert withPriority(int priority) {
    return keeping("with priority " + priority, message -> message.priority() == priority);
  }

  /** Have the ordering key {@code key}. */
  public EnqueuedAssert withOrderingKey(String key) {
    return keeping("with ordering key '" + key + "'", message -> key.equals(message.orderingKey()));
  }

  /** Are due after this delay, counted from when they were enqueued or failed. */
  public EnqueuedAssert scheduledIn(Duration delay) {
    return keeping(
        "scheduled in " + Humanize.duration(delay),
        message -> delay.equals(message.when().delay()));
  }

  /**
   * Are due after at least {@code least} and at most {@code most}; for backoffs, which have jitter.
   */
  public EnqueuedAssert scheduledBetween(Duration least, Duration most) {
    return keeping(
        "scheduled in %s to %s".formatted(Humanize.duration(least), Humanize.duration(most)),
        message -> {
          Duration delay = message.when().delay();
          return delay != null && delay.compareTo(least) >= 0 && delay.compareTo(most) <= 0;
        });
  }

  /** Are due at {@code instant}. */
  public EnqueuedAssert scheduledAt(Instant instant) {
    return keeping(
        "scheduled at " + instant, message -> Objects.equals(message.when().dueAt(), instant));
  }

  /** Can be claimed now. */
  public EnqueuedAssert available() {
    return keeping(
        "that is available", message -> message.state() == QueuedMessage.State.AVAILABLE);
  }

  /** Have this number of failed attempts. */
  public EnqueuedAssert failedTimes(int attempts) {
    return keeping("that failed %d times".formatted(attempts), each -> each.attempts() == attempts);
  }

  /** Match {@code fits}. */
  public EnqueuedAssert matching(String what, Predicate<QueuedMessage> fits) {
    return keeping(what, fits);
  }

  /** Asserts their exact number. */
  public EnqueuedAssert times(int count) {
    if (left.size() != count) {
      throw new AssertionError(
          "expected %s %d times, and there are %d; the queue has:%n%s"
              .formatted(wanted, count, left.size(), all));
    }
    return this;
  }

  /** Asserts that there is exactly one. */
  public EnqueuedAssert once() {
    return times(1);
  }

  /** Returns the matching messages. */
  public List<QueuedMessage> messages() {
    return left;
  }

  /** Continues with another topic. */
  public EnqueuedAssert hasEnqueued(String topic) {
    return new EnqueuedAssert(all, namedSoFar(), all.messages(), "a message")
        .keeping("to '" + topic + "'", message -> message.topic().equals(topic));
  }

  /** Asserts that the queue has no messages other than those named in this chain of assertions. */
  public void andNothingElse() {
    Set<Long> known = namedSoFar();
    List<String> others = new ArrayList<>();
    for (QueuedMessage message : all.messages()) {
      if (!known.contains(message.id())) {
        others.add("  " + message);
      }
    }
    if (!others.isEmpty()) {
      throw new AssertionError(
          "expected nothing else in the queue than %s, and there is:%n%s"
              .formatted(wanted, String.join("\n", others)));
    }
  }

  private Set<Long> namedSoFar() {
    Set<Long> known = new TreeSet<>(named);
    left.forEach(message -> known.add(message.id()));
    return known;
  }

  private EnqueuedAssert keeping(String what, Predicate<QueuedMessage> fits) {
    String sentence = wanted + " " + what;
    List<QueuedMessage> fitting = left.stream().filter(fits).toList();
    if (fitting.isEmpty()) {
      throw new AssertionError(
          "expected %s, and there is none; the queue has:%n%s".formatted(sentence, all));
    }
    return new EnqueuedAssert(all, named, fitting, sentence);
  }
}
