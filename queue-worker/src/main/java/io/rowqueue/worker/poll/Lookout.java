package io.rowqueue.worker.poll;

import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.Question;
import io.rowqueue.message.Topic;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds the topics that are worth a claim with as few and as cheap reads as it can. A look walks
 * over every row that an old snapshot keeps. So a topic whose last claim got all that it asked for
 * is not looked at again before the next whole look; and where looks are dear, most of them begin
 * where claims do, and only so many at the beginning that these take a fifth of the time. For one
 * thread.
 */
final class Lookout {

  /** A look that takes no longer is not worth sparing. */
  private static final long CHEAP_NANOS = Duration.ofMillis(2).toNanos();

  /**
   * For so many times as long as a dear look took, looks begin where claims do; but no longer than
   * whole looks are apart, since it may be the server that stood still.
   */
  private static final int SPARED = 4;

  private final ClaimStore claims;
  private final ClaimStrategy strategy;
  private final Supplier<List<Question>> aside;
  private final long wholeEveryNanos;
  private final LongSupplier clock;
  private final Set<Topic> plentiful = new HashSet<>();
  private long wholeNanos;

  /** Until then looks begin where claims do. */
  private long sparedUntilNanos;

  /** Whether the last look did, so that something below may have been missed. */
  private boolean spared;

  Lookout(
      ClaimStore claims,
      ClaimStrategy strategy,
      Supplier<List<Question>> aside,
      Duration wholeEvery) {
    this(claims, strategy, aside, wholeEvery, System::nanoTime);
  }

  /** The same by a clock like {@link System#nanoTime}. */
  Lookout(
      ClaimStore claims,
      ClaimStrategy strategy,
      Supplier<List<Question>> aside,
      Duration wholeEvery,
      LongSupplier clock) {
    this.claims = claims;
    this.strategy = strategy;
    this.aside = aside;
    this.wholeEveryNanos = wholeEvery.toNanos();
    this.clock = clock;
    this.wholeNanos = clock.getAsLong() - wholeEveryNanos;
    this.sparedUntilNanos = clock.getAsLong();
  }

  /**
   * Those of {@code open} that have something, and now and then whether something is due, and what
   * others want to know.
   *
   * @param quick whether somebody waits for what it finds, so that the whole look has to wait its
   *     turn once more
   */
  Survey look(List<Topic> open, boolean quick) {
    long now = clock.getAsLong();
    boolean whole = now - wholeNanos >= (quick ? 2 : 1) * wholeEveryNanos;
    if (whole) {
      Survey survey = claims.survey(open, aside.get());
      wholeNanos = now;
      spared = false;
      plentiful.retainAll(survey.available());
      return survey;
    }
    Survey survey =
        lookClosely(open.stream().filter(topic -> !plentiful.contains(topic)).toList(), now);
    Set<Topic> found = new HashSet<>(open);
    found.retainAll(plentiful);
    found.addAll(survey.available());
    return new Survey(found, survey.candidates(), survey.due());
  }

  private Survey lookClosely(List<Topic> topics, long now) {
    if (topics.isEmpty()) {
      spared = false;
      return Survey.NOTHING;
    }
    Optional<Survey> above =
        now - sparedUntilNanos < 0 ? strategy.lookAbove(topics) : Optional.empty();
    spared = above.isPresent();
    return above.orElseGet(() -> lookFromTheBeginning(topics, now));
  }

  private Survey lookFromTheBeginning(List<Topic> topics, long now) {
    Survey survey = claims.survey(topics);
    long end = clock.getAsLong();
    long dear = end - now < CHEAP_NANOS ? 0 : SPARED * (end - now);
    sparedUntilNanos = end + Math.min(dear, wholeEveryNanos);
    return survey;
  }

  /**
   * How long the next look may wait; {@code longest} unless the last one spared itself something.
   */
  Duration wait(Duration longest) {
    if (!spared) {
      return longest;
    }
    long left = Math.max(0, sparedUntilNanos - clock.getAsLong());
    return left < longest.toNanos() ? Duration.ofNanos(left) : longest;
  }

  /** The next look begins at the beginning: whoever asks will not look again. */
  void spareNothing() {
    sparedUntilNanos = clock.getAsLong();
  }

  /** The next look is a whole one: there is more that is due. */
  void lookAgain() {
    wholeNanos = clock.getAsLong() - wholeEveryNanos;
  }

  /** A claim of {@code topic} got all that it asked for, or it did not. */
  void claimed(Topic topic, boolean all) {
    if (all) {
      plentiful.add(topic);
    } else {
      plentiful.remove(topic);
    }
  }
}
