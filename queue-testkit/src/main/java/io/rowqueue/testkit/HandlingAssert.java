package io.rowqueue.testkit;

import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the outcome of an attempt. Failures show the outcome, and what was enqueued.
 * Confined to one thread.
 */
public final class HandlingAssert extends AbstractAssert<HandlingAssert, TestedHandling> {

  /** Asserts about {@code handling}. */
  public HandlingAssert(TestedHandling handling) {
    super(handling, HandlingAssert.class);
  }

  /** Succeeded: its message was deleted. */
  public HandlingAssert isAcked() {
    return ended(Outcome.ACKED);
  }

  /** Failed, and is retried. */
  public HandlingAssert isRetried() {
    return ended(Outcome.RETRIED);
  }

  /** Failed, and is retried after {@code delay}. */
  public HandlingAssert isRetriedIn(Duration delay) {
    return isRetried().isDueIn(delay);
  }

  /** Failed, and is retried within bounds; for backoffs, which have jitter. */
  public HandlingAssert isRetriedBetween(Duration least, Duration most) {
    isRetried();
    Duration delay = Objects.requireNonNull(actual.delay());
    if (delay.compareTo(least) < 0 || delay.compareTo(most) > 0) {
      throw failure(
          "expected a retry in %s to %s, but it was %s",
          Humanize.duration(least), Humanize.duration(most), actual);
    }
    return this;
  }

  /** Was released without counting an attempt. */
  public HandlingAssert isReleased() {
    return ended(Outcome.RELEASED);
  }

  /** Was released for {@code delay}. */
  public HandlingAssert isReleasedFor(Duration delay) {
    return isReleased().isDueIn(delay);
  }

  /** Was dead-lettered. */
  public HandlingAssert isDeadLettered() {
    return ended(Outcome.DEAD_LETTERED);
  }

  /** Was dead-lettered for {@code reason}. */
  public HandlingAssert isDeadLettered(DeadLetterReason reason) {
    isDeadLettered();
    if (actual.reason() != reason) {
      throw failure("expected a dead letter with %s, but it was %s", reason.label(), actual);
    }
    return this;
  }

  /** Was cancelled. */
  public HandlingAssert isCancelled() {
    return ended(Outcome.CANCELLED);
  }

  /** Lost its claim to another worker; nothing of the attempt remains. */
  public HandlingAssert hasLostItsClaim() {
    return ended(Outcome.LOST);
  }

  /** Timed out: its handler was interrupted. */
  public HandlingAssert hasTimedOut() {
    if (!actual.timedOut()) {
      throw failure("expected it to time out, but it was %s", actual);
    }
    return this;
  }

  /** Failed with a {@code type}. */
  public HandlingAssert failedWith(Class<? extends Throwable> type) {
    Throwable cause = actual.cause();
    boolean fits =
        cause == null
            ? actual.error() != null && actual.error().type().equals(type.getName())
            : type.isInstance(cause);
    if (!fits) {
      throw failure("expected it to fail of a %s, but it was %s", type.getName(), actual);
    }
    return this;
  }

  /** Failed with {@code text} in its message. */
  public HandlingAssert failedSaying(String text) {
    String message = message();
    if (message == null || !message.contains(text)) {
      throw failure("expected it to fail saying '%s', but it was %s", text, actual);
    }
    return this;
  }

  private @Nullable String message() {
    Throwable cause = actual.cause();
    return cause == null && actual.error() != null
        ? actual.error().message()
        : cause == null ? null : String.valueOf(cause.getMessage());
  }

  /** Returned {@code result}. */
  public HandlingAssert gave(@Nullable Object result) {
    if (!Objects.equals(actual.result(), result)) {
      throw failure("expected it to return %s, and not %s", result, actual.result());
    }
    return this;
  }

  /**
   * Enqueued a message to {@code topic} that is in the queue now; continues with assertions about
   * it.
   */
  public EnqueuedAssert hasEnqueued(String topic) {
    return EnqueuedAssert.of(actual.enqueued(), topic);
  }

  /** Enqueued nothing that is in the queue. */
  public HandlingAssert hasEnqueuedNothing() {
    if (!actual.enqueued().messages().isEmpty()) {
      throw failure("expected it to enqueue nothing, but it was %s", actual);
    }
    return this;
  }

  private HandlingAssert ended(Outcome outcome) {
    if (actual.outcome() != outcome) {
      throw failure(
          "expected the handling to be %s, but it was %s",
          outcome.name().toLowerCase(Locale.ROOT), actual);
    }
    return this;
  }

  private HandlingAssert isDueIn(Duration delay) {
    if (!delay.equals(actual.delay())) {
      throw failure(
          "expected the next attempt in %s, but it was %s", Humanize.duration(delay), actual);
    }
    return this;
  }
}
