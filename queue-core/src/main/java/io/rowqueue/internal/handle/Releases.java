package io.rowqueue.internal.handle;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases messages that this worker cannot end for reasons other than their handlers, and
 * dead-letters those that it has released for too long. The time is tracked per message and worker:
 * a release leaves no trace in the row, and a clock per topic would dead-letter messages that other
 * workers take within a second. Thread-safe.
 *
 * <p>Each message waits longer the longer it has been released. So thousands of them cost all
 * workers together some dozens of claims per second, and readable messages are claimed in between.
 * Delays have jitter, because messages that return at one moment are claimed at once, often by the
 * worker that had them last. The worker's failure backoff is not triggered: one unreadable message
 * says nothing about others.
 */
final class Releases {

  private static final Logger LOG = LoggerFactory.getLogger(Releases.class);

  /** During a rolling deployment another worker may well be able to read it. */
  private static final Cause UNREADABLE =
      new Cause(
          Duration.ofSeconds(5).toNanos(),
          DeadLetterReason.UNREADABLE,
          Outcome.UNREADABLE,
          "released for workers that can read them");

  /** Most refusals of a server pass within a second. */
  private static final Cause REFUSED =
      new Cause(
          Duration.ofSeconds(1).toNanos(),
          DeadLetterReason.SETTLEMENT_REFUSED,
          Outcome.UNHANDLED,
          "rolled back and released, since RowQueue's own statements or COMMIT failed");

  /** A shortage that only this message's statement meets, such as a full MEMORY table, stays. */
  private static final Cause SHORTAGE =
      new Cause(
          Duration.ofSeconds(1).toNanos(),
          DeadLetterReason.ATTEMPTS_EXHAUSTED,
          Outcome.UNHANDLED,
          "rolled back and released, since the server lacked resources for their handlers'"
              + " statements");

  /** As long as the default retries last; a full disk may take a night. */
  private static final Duration SHORTAGE_FOR = Duration.ofDays(1);

  /** About a dozen releases, and longer than most fail-overs and repairs take. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(10);

  private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

  /** The maximum jitter, as a fraction of the delay. */
  private static final double SPREAD = 0.5;

  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final Cause cause;
  private final long afterNanos;
  private final LongSupplier clock;
  private final DoubleSupplier random;
  private final Map<Topic, ReleaseLog> sayings = new ConcurrentHashMap<>();

  /** Created on first use: most workers never need it. */
  private volatile @Nullable ReleasedMessages released;

  private Releases(Cause cause, Duration after, LongSupplier clock, DoubleSupplier random) {
    this.cause = cause;
    this.afterNanos = after.compareTo(FOR_EVER) < 0 ? after.toNanos() : Long.MAX_VALUE;
    this.clock = clock;
    this.random = random;
  }

  /** For messages that this worker cannot read, but a newer one may. */
  static Releases ofUnreadable(UnreadableSettings settings) {
    return ofUnreadable(
        settings.after(), System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** For tests: {@code clock} gives nanoseconds, {@code random} the jitter, from 0 to below 1. */
  static Releases ofUnreadable(Duration after, LongSupplier clock, DoubleSupplier random) {
    return new Releases(UNREADABLE, after, clock, random);
  }

  /** For messages whose settlement the database refuses. */
  static Releases ofRefused() {
    return ofRefused(System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** For tests: {@code clock} gives nanoseconds, {@code random} the jitter, from 0 to below 1. */
  static Releases ofRefused(LongSupplier clock, DoubleSupplier random) {
    return new Releases(REFUSED, REFUSED_FOR, clock, random);
  }

  /** For messages whose handlers' own statements the server lacks resources for. */
  static Releases ofShortage() {
    return ofShortage(System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** For tests: {@code clock} gives nanoseconds, {@code random} the jitter, from 0 to below 1. */
  static Releases ofShortage(LongSupplier clock, DoubleSupplier random) {
    return new Releases(SHORTAGE, SHORTAGE_FOR, clock, random);
  }

  /**
   * Settles {@code claim}, which cannot be ended here because of {@code reason}. A dead letter that
   * the database refuses is released as before.
   */
  Outcome settle(Claim claim, FailureSettlement failures, Throwable reason) {
    long now = clock.getAsLong();
    ReleasedMessages known = memory();
    Long age = known.age(claim, now);
    Throwable why = reason;
    if (age != null && age >= afterNanos) {
      try {
        Outcome deadLetter = failures.deadLetterOrThrow(claim, cause.reason, reason);
        known.forget(claim.id());
        return deadLetter;
      } catch (DatabaseUnavailableException e) {
        if (!FailureSettlement.isRefused(e)) {
          throw e;
        }
        why = e;
      }
    }
    failures.release(claim, jitter(age == null ? restByClaims(claim) : restByAge(age)));
    sayings
        .computeIfAbsent(claim.topic(), topic -> new ReleaseLog(cause.words))
        .log(claim, why, now);
    return cause.outcome;
  }

  private Duration jitter(long rest) {
    return Duration.ofNanos(rest + (long) (rest * SPREAD * random.getAsDouble()));
  }

  /**
   * As long as the problem has lasted: with jitter, a message that another worker can read in the
   * end waits at most two and a half times as long as necessary.
   */
  private long restByAge(long age) {
    return Math.max(cause.shortestNanos, Math.min(LONGEST_NANOS, age));
  }

  /** Used when memory is full: the row shows how often all workers have released it. */
  private long restByClaims(Claim claim) {
    int uncounted = claim.number() - 1 - claim.attempts() - claim.lost();
    int doublings = Math.max(0, Math.min(6, uncounted));
    return Math.min(LONGEST_NANOS, cause.shortestNanos << doublings);
  }

  /** {@code id} was ended, or read. */
  void forget(MessageId id) {
    ReleasedMessages known = released;
    if (known != null) {
      known.forget(id);
    }
  }

  private ReleasedMessages memory() {
    ReleasedMessages known = released;
    if (known == null) {
      synchronized (this) {
        known = released;
        if (known == null) {
          known = new ReleasedMessages();
          released = known;
        }
      }
    }
    return known;
  }

  /**
   * A reason for releases.
   *
   * @param shortestNanos the first delay
   * @param reason the reason of the dead letter in the end
   * @param outcome the outcome of its claims until then
   * @param words the log text
   */
  private record Cause(
      long shortestNanos, DeadLetterReason reason, Outcome outcome, String words) {}

  /** Logs once a minute which messages of a topic are released. */
  private static final class ReleaseLog {

    private final String words;
    private int unsaid;
    private long saidNanos;
    private boolean said;

    ReleaseLog(String words) {
      this.words = words;
    }

    synchronized void log(Claim claim, Throwable reason, long now) {
      unsaid++;
      if (!said || now - saidNanos >= SAY_EVERY_NANOS) {
        said = true;
        saidNanos = now;
        LOG.warn(
            "{}: {} of '{}', most recently {}: {}",
            words,
            unsaid,
            claim.topic(),
            claim,
            FailureText.of(reason));
        unsaid = 0;
      }
    }
  }
}
