package io.rowqueue.testkit;

import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.Locale;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

/**
 * The outcome and the effects of an attempt. AssertJ's {@code assertThat(handling)} returns {@link
 * HandlingAssert}.
 *
 * @param outcome how the pipeline settled the message
 * @param delay until a retried or released message is due; null otherwise
 * @param reason the dead letter's reason; null if it is not one
 * @param error the recorded error of the failed attempt; null if none was counted
 * @param cause the handler's exception; null if it threw none, or was not called
 * @param result the handler's result
 * @param enqueued messages that are in the queue now: those of its transaction, if that committed,
 *     and those of other transactions
 * @param undone messages of the transaction that was rolled back
 * @param calls the calls on its context
 */
public record TestedHandling(
    Outcome outcome,
    @Nullable Duration delay,
    @Nullable DeadLetterReason reason,
    @Nullable AttemptError error,
    @Nullable Throwable cause,
    @Nullable Object result,
    QueueContents enqueued,
    QueueContents undone,
    ContextCalls calls)
    implements AssertProvider<HandlingAssert> {

  /** Returns whether its handler was interrupted by its timeout. */
  public boolean timedOut() {
    return error != null && error.type().equals(HandlerTimeoutException.class.getName());
  }

  /** Used by AssertJ. */
  @Override
  public HandlingAssert assertThat() {
    return new HandlingAssert(this);
  }

  /** Formats it as one line, and one for each enqueued message. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(outcome.name().toLowerCase(Locale.ROOT));
    if (delay != null) {
      text.append(", due in ").append(Humanize.duration(delay));
    }
    if (reason != null) {
      text.append(", ").append(reason.label());
    }
    if (error != null) {
      text.append(", of ").append(error.summary());
    } else if (cause != null) {
      text.append(", of ").append(cause);
    }
    return text.append("; enqueued:\n").append(enqueued).toString();
  }
}
