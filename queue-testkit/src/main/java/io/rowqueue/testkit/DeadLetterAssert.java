package io.rowqueue.testkit;

import io.rowqueue.operate.DeadLetterReason;
import java.util.List;
import java.util.function.Predicate;

/**
 * Says more of the dead letters of a topic: each method keeps those that fit, and fails if none is
 * left, with what there was. Confined to one thread.
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

  /** Were set aside for this reason. */
  public DeadLetterAssert withReason(DeadLetterReason reason) {
    return keeping("with reason " + reason.label(), letter -> letter.reason() == reason);
  }

  /** Have {@code text} in what they failed of. */
  public DeadLetterAssert withDetail(String text) {
    return keeping("whose detail has '" + text + "'", letter -> letter.detail().contains(text));
  }

  /** Carry {@code payload}, compared as JSON. */
  public DeadLetterAssert withPayload(Object payload) {
    return keeping(
        "with payload " + Payloads.text(payload),
        letter -> Payloads.isEqual(letter.payload(), payload));
  }

  /** Failed so often. */
  public DeadLetterAssert failedTimes(int attempts) {
    return keeping("that failed %d times".formatted(attempts), each -> each.attempts() == attempts);
  }

  /** There are exactly so many of them. */
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
