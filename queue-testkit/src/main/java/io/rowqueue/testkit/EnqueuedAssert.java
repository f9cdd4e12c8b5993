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
 * Says more of the messages that were enqueued to a topic: each method keeps those that fit, and
 * fails if none is left, with what there was. Confined to one thread.
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
   * Those of {@code topic} among {@code all}.
   *
   * @throws AssertionError if there is none
   */
  public static EnqueuedAssert of(QueueContents all, String topic) {
    return new EnqueuedAssert(all, new TreeSet<>(), all.messages(), "a message")
        .keeping("to '" + topic + "'", message -> message.topic().equals(topic));
  }

  /** Carry {@code payload}, compared as JSON. */
  public EnqueuedAssert withPayload(Object payload) {
    return keeping(
        "with payload " + Payloads.text(payload),
        message -> Payloads.isEqual(message.payload(), payload));
  }

  /** Carry a {@code type} that {@code fits}. */
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

  /** Stay in line with {@code key}. */
  public EnqueuedAssert withOrderingKey(String key) {
    return keeping("with ordering key '" + key + "'", message -> key.equals(message.orderingKey()));
  }

  /** Wait this long, counted from when they were enqueued or failed. */
  public EnqueuedAssert scheduledIn(Duration delay) {
    return keeping(
        "scheduled in " + Humanize.duration(delay),
        message -> delay.equals(message.when().delay()));
  }

  /** Wait at least {@code least} and at most {@code most}; for backoffs, which have jitter. */
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

  /** May be claimed now. */
  public EnqueuedAssert available() {
    return keeping(
        "that is available", message -> message.state() == QueuedMessage.State.AVAILABLE);
  }

  /** Have failed so often. */
  public EnqueuedAssert failedTimes(int attempts) {
    return keeping("that failed %d times".formatted(attempts), each -> each.attempts() == attempts);
  }

  /** Fits what {@code fits} says. */
  public EnqueuedAssert matching(String what, Predicate<QueuedMessage> fits) {
    return keeping(what, fits);
  }

  /** There are exactly so many of them. */
  public EnqueuedAssert times(int count) {
    if (left.size() != count) {
      throw new AssertionError(
          "expected %s %d times, and there are %d; the queue has:%n%s"
              .formatted(wanted, count, left.size(), all));
    }
    return this;
  }

  /** There is exactly one. */
  public EnqueuedAssert once() {
    return times(1);
  }

  /** The messages that fit. */
  public List<QueuedMessage> messages() {
    return left;
  }

  /** Goes on with another topic. */
  public EnqueuedAssert hasEnqueued(String topic) {
    return new EnqueuedAssert(all, namedSoFar(), all.messages(), "a message")
        .keeping("to '" + topic + "'", message -> message.topic().equals(topic));
  }

  /** There is no other message in the queue than those that were named in this sentence. */
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
