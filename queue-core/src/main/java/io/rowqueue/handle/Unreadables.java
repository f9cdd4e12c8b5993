package io.rowqueue.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.claim.Claim;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.message.UnreadableException;
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
 * Gives back what this worker cannot read, so that a newer one may, and sets aside what it has
 * given back for long. By message and worker: a release leaves no trace in the row, and a clock for
 * each topic would set aside what newer workers take within a second. Thread-safe.
 *
 * <p>Each message rests longer the longer it has been given back, so that thousands of them cost a
 * fleet some dozens of claims a second, and what can be read is claimed between them. Rests are
 * spread, since what comes back at one moment is claimed at one gulp, often by whoever had it last.
 * No brake is pulled: that one message cannot be read says nothing about its neighbours.
 */
@Singleton
final class Unreadables {

  private static final Logger LOG = LoggerFactory.getLogger(Unreadables.class);

  /** In a deployment that is half done the next worker may well read it. */
  private static final long SHORTEST_NANOS = Duration.ofSeconds(5).toNanos();

  private static final long LONGEST_NANOS = Duration.ofMinutes(5).toNanos();

  /** By up to this part of it is a rest longer. */
  private static final double SPREAD = 0.5;

  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final long afterNanos;
  private final LongSupplier clock;
  private final DoubleSupplier random;
  private final Map<Topic, Saying> sayings = new ConcurrentHashMap<>();

  /** Made at the first one: most workers never meet any. */
  private volatile @Nullable GivenBack givenBack;

  @Inject
  Unreadables(UnreadableSettings settings) {
    this(settings.after(), System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** By the nanoseconds of {@code clock}, spread by {@code random} from 0 to below 1. */
  Unreadables(Duration after, LongSupplier clock, DoubleSupplier random) {
    this.afterNanos = after.compareTo(FOR_EVER) < 0 ? after.toNanos() : Long.MAX_VALUE;
    this.clock = clock;
    this.random = random;
  }

  /** Settles {@code claim}, which {@code reason} keeps from being read here. */
  Outcome settle(Claim claim, FailureSettlement failures, UnreadableException reason) {
    long now = clock.getAsLong();
    GivenBack known = memory();
    Long age = known.age(claim, now);
    if (age != null && age >= afterNanos) {
      Outcome setAside = failures.deadLetter(claim, DeadLetterReason.UNREADABLE, reason);
      known.forget(claim.id());
      return setAside;
    }
    failures.release(claim, spread(age == null ? restByClaims(claim) : restByAge(age)));
    sayings.computeIfAbsent(claim.topic(), topic -> new Saying()).say(claim, reason, now);
    return Outcome.UNREADABLE;
  }

  private Duration spread(long rest) {
    return Duration.ofNanos(rest + (long) (rest * SPREAD * random.getAsDouble()));
  }

  /**
   * As long as it has lasted: with the spread, what another reads in the end has waited at most two
   * and a half times as long as it had to.
   */
  private static long restByAge(long age) {
    return Math.max(SHORTEST_NANOS, Math.min(LONGEST_NANOS, age));
  }

  /** Where memory holds no more: the row says how often it was given back by anybody. */
  private static long restByClaims(Claim claim) {
    int uncounted = claim.number() - 1 - claim.attempts() - claim.lost();
    int doublings = Math.max(0, Math.min(6, uncounted));
    return Math.min(LONGEST_NANOS, SHORTEST_NANOS << doublings);
  }

  /** {@code id} could be read. */
  void read(MessageId id) {
    GivenBack known = givenBack;
    if (known != null) {
      known.forget(id);
    }
  }

  private GivenBack memory() {
    GivenBack known = givenBack;
    if (known == null) {
      synchronized (this) {
        known = givenBack;
        if (known == null) {
          known = new GivenBack();
          givenBack = known;
        }
      }
    }
    return known;
  }

  /** Says once a minute what is given back of one topic. */
  private static final class Saying {

    private int unsaid;
    private long saidNanos;
    private boolean said;

    synchronized void say(Claim claim, UnreadableException reason, long now) {
      unsaid++;
      if (!said || now - saidNanos >= SAY_EVERY_NANOS) {
        said = true;
        saidNanos = now;
        LOG.warn(
            "given back for workers that can read them: {} of '{}', the last being {}: {}",
            unsaid,
            claim.topic(),
            claim,
            reason.getMessage());
        unsaid = 0;
      }
    }
  }
}
