package io.rowqueue.internal.handle;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides how a failed message is settled, and settles it. Thread-safe. */
final class FailureSettlement {

  private static final Logger LOG = LoggerFactory.getLogger(FailureSettlement.class);

  /** A handler that always releases must not spin. */
  private static final Duration LEAST_RELEASE = Duration.ofSeconds(1);

  /**
   * The longest delay that producers may set; a due time beyond the database's range could never be
   * settled.
   */
  private static final Duration LONGEST_WAIT = Duration.ofDays(36_525);

  /** A failed deployment and its rollback stop a worker about three times. */
  private static final int RELEASED_AT_ONCE = 3;

  /** Delays of about four minutes at most. */
  private static final int LARGEST_DOUBLINGS = 8;

  private final Settler settler;
  private final Releases refusals = Releases.ofRefused();

  FailureSettlement(Settler settler) {
    this.settler = settler;
  }

  /**
   * Rejects messages over the limits, which plain SQL may have inserted, before they are loaded.
   */
  void checkSize(Claim claim, MessageLimits limits) {
    Body body = claim.body();
    if (body.payloadBytes() > limits.payloadBytes()
        || body.headersBytes() > limits.handledHeadersBytes()) {
      throw new InvalidMessageException(
          "payload of %,d and headers of %,d bytes are over this worker's limits of %,d and %,d; raise max-payload-size or max-header-size there"
              .formatted(
                  body.payloadBytes(),
                  body.headersBytes(),
                  limits.payloadBytes(),
                  limits.handledHeadersBytes()));
    }
  }

  Outcome settle(Claim claim, HandlerPolicy policy, Throwable failure) {
    if (failure instanceof ReleaseMessage release) {
      return release(claim, release.delay());
    }
    if (failure instanceof PermanentFailure) {
      return deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, failure);
    }
    if (failure instanceof TransactionEndedException) {
      return deadLetter(claim, DeadLetterReason.LEFT_TRANSACTION, failure);
    }
    if (claim.attempts() + 1 >= policy.maxAttempts()) {
      return deadLetter(claim, DeadLetterReason.ATTEMPTS_EXHAUSTED, failure);
    }
    return retry(claim, policy, failure);
  }

  /** Whatever it failed with, or if its handler never started. */
  Outcome cancel(Claim claim, String by) {
    return orRelease(
        claim,
        null,
        () -> {
          held(claim, settler.cancel(claim), "cancellation");
          LOG.info(
              "{} is cancelled, as requested by {}", claim, by.isEmpty() ? "an unknown user" : by);
          return Outcome.CANCELLED;
        });
  }

  Outcome release(Claim claim, Duration delay) {
    Duration wait = delay.compareTo(LEAST_RELEASE) < 0 ? LEAST_RELEASE : atMost(delay);
    held(claim, settler.release(claim, wait), "release");
    return Outcome.RELEASED;
  }

  /**
   * Without a delay, because only a stopping worker releases this way. But a message that runs
   * longer than workers live, and that was released often, gets ever longer delays, so that the
   * messages behind it are handled in between.
   */
  Outcome release(Claim claim) {
    int uncounted = claim.number() - 1 - claim.attempts() - claim.lost();
    int doublings = Math.min(LARGEST_DOUBLINGS, uncounted - RELEASED_AT_ONCE);
    Duration rest = doublings < 0 ? Duration.ZERO : Duration.ofSeconds(1L << doublings);
    held(claim, settler.release(claim, rest), "release");
    return Outcome.RELEASED;
  }

  private Outcome retry(Claim claim, HandlerPolicy policy, Throwable failure) {
    Duration backoff = atMost(backoff(claim, policy, failure));
    return orRelease(
        claim,
        failure,
        () -> {
          held(claim, settler.retry(claim, AttemptError.of(failure), backoff), "retry");
          log(
              failure,
              shown ->
                  LOG.warn(
                      "attempt {} of {} failed; the next is due in {}",
                      claim.attempts() + 1,
                      policy.maxAttempts(),
                      Humanize.duration(backoff),
                      shown));
          return Outcome.RETRIED;
        });
  }

  /** A retry policy is application code and may throw anything. */
  private static Duration backoff(Claim claim, HandlerPolicy policy, Throwable failure) {
    if (failure instanceof RetryAfter later) {
      return later.delay();
    }
    try {
      Duration backoff = policy.retryPolicy().backoff(claim.attempts() + 1, failure);
      return backoff.isNegative() ? Duration.ZERO : backoff;
    } catch (Throwable e) {
      log(
          e,
          shown ->
              LOG.error(
                  "the retry policy of '{}' failed; the default policy is used",
                  claim.topic(),
                  shown));
      return RetryPolicy.defaults().backoff(claim.attempts() + 1, failure);
    }
  }

  Outcome deadLetter(Claim claim, DeadLetterReason reason, Throwable failure) {
    return orRelease(claim, failure, () -> deadLetterOrThrow(claim, reason, failure));
  }

  /** Like {@link #deadLetter}, for a claim that is released anyway if the database refuses it. */
  Outcome deadLetterOrThrow(Claim claim, DeadLetterReason reason, Throwable failure) {
    held(claim, settler.deadLetter(claim, reason, AttemptError.of(failure)), "dead letter");
    log(
        failure,
        shown ->
            LOG.error(
                "moved to the dead-letter queue ({}); redrive it once the cause is fixed",
                reason.label(),
                shown));
    return Outcome.DEAD_LETTERED;
  }

  /**
   * Settles {@code claim}. If the database refuses that, the claim is released with a growing
   * delay: the next reconciliation would release it for a handling at once, whose effects would be
   * repeated every few seconds.
   *
   * @param failure which the database then does not record; null if there is none
   */
  private Outcome orRelease(
      Claim claim, @Nullable Throwable failure, Supplier<Outcome> settlement) {
    try {
      Outcome outcome = settlement.get();
      refusals.forget(claim.id());
      return outcome;
    } catch (DatabaseUnavailableException e) {
      if (!isRefused(e)) {
        throw e;
      }
      if (failure != null) {
        log(
            failure,
            shown ->
                LOG.warn(
                    "the database refuses to record this failure of {}: {}",
                    claim,
                    FailureText.of(e),
                    shown));
      }
      return releaseRefused(claim, e);
    }
  }

  /** Whether a settlement failed for a reason that need not affect a release, which writes less. */
  static boolean isRefused(DatabaseUnavailableException failure) {
    return !TransientFailures.isOutage(failure) || TransientFailures.isFull(failure);
  }

  /** Releases a claim whose settlement the database refuses, or dead-letters it in the end. */
  Outcome releaseRefused(Claim claim, Throwable refusal) {
    return refusals.settle(claim, this, refusal);
  }

  /** {@code id} was acked. */
  void acked(MessageId id) {
    refusals.forget(id);
  }

  /** What becomes of a message does not depend on whether its failure can be logged. */
  private static void log(Throwable failure, Consumer<Throwable> log) {
    try {
      log.accept(printable(failure));
    } catch (Throwable e) {
      try {
        LOG.error("a {} could not be logged: {}", failure.getClass().getName(), e.getClass());
      } catch (Throwable again) {
        e.addSuppressed(again);
      }
    }
  }

  /** A logger prints all of a failure; the text of a part may be huge, or not be there to read. */
  static Throwable printable(Throwable failure) {
    try {
      failure.printStackTrace(new PrintWriter(new Bounded()));
      return failure;
    } catch (Throwable e) {
      return new IllegalStateException(
          "what can be printed: " + AttemptError.of(failure).trace().strip(), null) {
        private static final long serialVersionUID = 1L;

        @Override
        public Throwable fillInStackTrace() {
          return this;
        }
      };
    }
  }

  /** Throws once a text is too long for a log. */
  private static final class Bounded extends Writer {

    private static final int LONGEST = 200_000;

    private int length;

    @Override
    public void write(char[] text, int offset, int count) {
      length += count;
      if (length > LONGEST) {
        throw new IllegalStateException("too long");
      }
    }

    @Override
    public void write(String text, int offset, int count) {
      write(new char[0], offset, count);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static Duration atMost(Duration wait) {
    return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
  }

  private static void held(Claim claim, boolean held, String settlement) {
    if (!held) {
      throw new ClaimLostException(claim, settlement);
    }
  }
}
