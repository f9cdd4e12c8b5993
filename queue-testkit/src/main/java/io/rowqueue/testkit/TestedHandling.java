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
 * How one handling ended, and what it did. AssertJ's {@code assertThat(handling)} gives {@link
 * HandlingAssert}.
 *
 * @param outcome how the pipeline settled the message
 * @param delay after which a retried or released message is due; null otherwise
 * @param reason why it is a dead letter; null if it is none
 * @param error what the failed attempt leaves to read; null if none was counted
 * @param cause what the handler threw; null if it threw nothing, or was never called
 * @param result what the handler gave back
 * @param enqueued what is in the queue now: what it enqueued in its transaction, if that committed,
 *     and what it enqueued in transactions of its own
 * @param undone what it enqueued in the transaction that was rolled back
 * @param calls what it asked of its context
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

  /** Whether its handler was interrupted since its time was over. */
  public boolean timedOut() {
    return error != null && error.type().equals(HandlerTimeoutException.class.getName());
  }

  /** For AssertJ. */
  @Override
  public HandlingAssert assertThat() {
    return new HandlingAssert(this);
  }

  /** One line for people, and one for each message that it enqueued. */
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
