package io.rowqueue.internal.handle;

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
 * Releases messages that this worker cannot end through no fault of their handlers, and makes dead
 * letters of those that it has released for long. By message and worker: a release leaves no trace
 * in the row, and a clock for each topic would set aside what other workers take within a second.
 * Thread-safe.
 *
 * <p>Each message rests longer the longer it has been given back, so that thousands of them cost a
 * fleet some dozens of claims a second, and what can be read is claimed between them. Rests are
 * spread, since what comes back at one moment is claimed at one gulp, often by whoever had it last.
 * No brake is pulled: that one message cannot be read says nothing about its neighbours.
 */
final class Releases {

  private static final Logger LOG = LoggerFactory.getLogger(Releases.class);

  /** In a deployment that is half done the next worker may well read it. */
  private static final Cause UNREADABLE =
      new Cause(
          Duration.ofSeconds(5).toNanos(),
          DeadLetterReason.UNREADABLE,
          Outcome.UNREADABLE,
          "given back for workers that can read them");

  /** Most of what a server refuses once, it takes a second later. */
  private static final Cause REFUSED =
      new Cause(
          Duration.ofSeconds(1).toNanos(),
          DeadLetterReason.SETTLEMENT_REFUSED,
          Outcome.RELEASED,
          "rolled back and released, since RowQueue's own statements or COMMIT failed");

  /** A dozen runs, and longer than most fail-overs and repairs take. */
  private static final Duration REFUSED_FOR = Duration.ofMinutes(10);

  private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

  /** By up to this part of it is a rest longer. */
  private static final double SPREAD = 0.5;

  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final Cause cause;
  private final long afterNanos;
  private final LongSupplier clock;
  private final DoubleSupplier random;
  private final Map<Topic, Saying> sayings = new ConcurrentHashMap<>();

  /** Made at the first one: most workers never meet any. */
  private volatile @Nullable ReleasedMessages released;

  private Releases(Cause cause, Duration after, LongSupplier clock, DoubleSupplier random) {
    this.cause = cause;
    this.afterNanos = after.compareTo(FOR_EVER) < 0 ? after.toNanos() : Long.MAX_VALUE;
    this.clock = clock;
    this.random = random;
  }

  /** What this worker cannot read, so that a newer one may. */
  static Releases ofUnreadable(UnreadableSettings settings) {
    return ofUnreadable(
        settings.after(), System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** The same by the nanoseconds of {@code clock}, spread by {@code random} from 0 to below 1. */
  static Releases ofUnreadable(Duration after, LongSupplier clock, DoubleSupplier random) {
    return new Releases(UNREADABLE, after, clock, random);
  }

  /** What was handled, and whose settlement the database refuses. */
  static Releases ofRefused() {
    return ofRefused(System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** The same by the nanoseconds of {@code clock}, spread by {@code random} from 0 to below 1. */
  static Releases ofRefused(LongSupplier clock, DoubleSupplier random) {
    return new Releases(REFUSED, REFUSED_FOR, clock, random);
  }

  /** Settles {@code claim}, which {@code reason} keeps from being ended here. */
  Outcome settle(Claim claim, FailureSettlement failures, Throwable reason) {
    long now = clock.getAsLong();
    ReleasedMessages known = memory();
    Long age = known.age(claim, now);
    if (age != null && age >= afterNanos) {
      Outcome deadLetter = failures.deadLetter(claim, cause.reason, reason);
      known.forget(claim.id());
      return deadLetter;
    }
    failures.release(claim, spread(age == null ? restByClaims(claim) : restByAge(age)));
    sayings
        .computeIfAbsent(claim.topic(), topic -> new Saying(cause.words))
        .say(claim, reason, now);
    return cause.outcome;
  }

  private Duration spread(long rest) {
    return Duration.ofNanos(rest + (long) (rest * SPREAD * random.getAsDouble()));
  }

  /**
   * As long as it has lasted: with the spread, what another reads in the end has waited at most two
   * and a half times as long as it had to.
   */
  private long restByAge(long age) {
    return Math.max(cause.shortestNanos, Math.min(LONGEST_NANOS, age));
  }

  /** Where memory holds no more: the row says how often it was given back by anybody. */
  private long restByClaims(Claim claim) {
    int uncounted = claim.number() - 1 - claim.attempts() - claim.lost();
    int doublings = Math.max(0, Math.min(6, uncounted));
    return Math.min(LONGEST_NANOS, cause.shortestNanos << doublings);
  }

  /** {@code id} could be ended, or read. */
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
   * Why messages are released.
   *
   * @param shortestNanos how long one rests at first
   * @param reason why one becomes a dead letter in the end
   * @param outcome how its claims end until then
   * @param words what is logged
   */
  private record Cause(
      long shortestNanos, DeadLetterReason reason, Outcome outcome, String words) {}

  /** Says once a minute what is given back of one topic. */
  private static final class Saying {

    private final String words;
    private int unsaid;
    private long saidNanos;
    private boolean said;

    Saying(String words) {
      this.words = words;
    }

    synchronized void say(Claim claim, Throwable reason, long now) {
      unsaid++;
      if (!said || now - saidNanos >= SAY_EVERY_NANOS) {
        said = true;
        saidNanos = now;
        LOG.warn(
            "{}: {} of '{}', the last being {}: {}",
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
