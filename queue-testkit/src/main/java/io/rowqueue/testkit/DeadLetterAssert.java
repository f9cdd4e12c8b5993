package io.rowqueue.testkit;

import io.rowqueue.operate.DeadLetterReason;
import java.util.List;
import java.util.function.Predicate;

/**
 * Assertions about the dead letters of a topic: each method keeps the matching ones, and fails with
 * the queue's contents if none is left. Confined to one thread.
 */
public final class DeadLetterAssert {

  private final QueueContents all;
  private final List<DeadMessage> left;
  private final String wanted;

  private DeadLetterAssert(QueueContents all, List<DeadMessage> left, String wanted) {
    this.all = all;
    this.left = left;
    this.wanted = wanted;
  }

  static DeadLetterAssert of(QueueContents all, String topic) {
    return new DeadLetterAssert(all, all.deadLetters(), "a dead letter")
        .keeping("of '" + topic + "'", letter -> letter.topic().equals(topic));
  }

  /** Were dead-lettered for this reason. */
  public DeadLetterAssert withReason(DeadLetterReason reason) {
    return keeping("with reason " + reason.label(), letter -> letter.reason() == reason);
  }

  /** Have {@code text} in their detail. */
  public DeadLetterAssert withDetail(String text) {
    return keeping("whose detail has '" + text + "'", letter -> letter.detail().contains(text));
  }

  /** Have {@code payload}, compared as JSON. */
  public DeadLetterAssert withPayload(Object payload) {
    return keeping(
        "with payload " + Payloads.text(payload),
        letter -> Payloads.isEqual(letter.payload(), payload));
  }

  /** Have this number of failed attempts. */
  public DeadLetterAssert failedTimes(int attempts) {
    return keeping("that failed %d times".formatted(attempts), each -> each.attempts() == attempts);
  }

  /** Asserts their exact number. */
  public DeadLetterAssert times(int count) {
    if (left.size() != count) {
      throw new AssertionError(
          "expected %s %d times, and there are %d; the queue has:%n%s"
              .formatted(wanted, count, left.size(), all));
    }
    return this;
  }

  private DeadLetterAssert keeping(String what, Predicate<DeadMessage> fits) {
    String sentence = wanted + " " + what;
    List<DeadMessage> fitting = left.stream().filter(fits).toList();
    if (fitting.isEmpty()) {
      throw new AssertionError(
          "expected %s, and there is none; the queue has:%n%s".formatted(sentence, all));
    }
    return new DeadLetterAssert(all, fitting, sentence);
  }
}
