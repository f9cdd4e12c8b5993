package io.rowqueue.worker.poll;

import io.rowqueue.claim.Candidate;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.Offers;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.Question;
import io.rowqueue.message.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds the topics that are worth a claim with as few and as cheap reads as it can. A look walks
 * over every row that an old snapshot keeps, wherever it begins: those that were available lie
 * before what is found, those that were claimed behind it. So a topic whose last claim got all that
 * it asked for is not looked at again before the next whole look; and where looks are dear, they
 * take a fifth of the time, and meanwhile only offers are claimed. For one thread.
 */
final class Lookout {

  /** A look that takes no longer is not worth sparing. */
  private static final long CHEAP_NANOS = Duration.ofMillis(1).toNanos();

  /**
   * For so many times as long as a dear look took, there is none; but no longer than whole looks
   * are apart, since it may be the server that stood still.
   */
  private static final int SPARED = 4;

  private final ClaimStore claims;
  private final Offers offers;
  private final Supplier<List<Question>> aside;
  private final long wholeEveryNanos;
  private final LongSupplier clock;
  private final Set<Topic> plentiful = new HashSet<>();
  private long wholeNanos;

  /** Until then nobody looks. */
  private long sparedUntilNanos;

  /** Whether the last look was spared, so that there may be more than was offered. */
  private boolean spared;

  Lookout(ClaimStore claims, Offers offers, Supplier<List<Question>> aside, Duration wholeEvery) {
    this(claims, offers, aside, wholeEvery, System::nanoTime);
  }

  /** The same by a clock like {@link System#nanoTime}. */
  Lookout(
      ClaimStore claims,
      Offers offers,
      Supplier<List<Question>> aside,
      Duration wholeEvery,
      LongSupplier clock) {
    this.claims = claims;
    this.offers = offers;
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
    // A look that begins now sees them, too.
    Map<Topic, List<Candidate>> offered = offers.take(open);
    boolean whole = now - wholeNanos >= (quick ? 2 : 1) * wholeEveryNanos;
    if (whole) {
      Survey survey = claims.survey(open, aside.get());
      wholeNanos = now;
      spared = false;
      plentiful.retainAll(survey.available());
      return survey;
    }
    Survey survey =
        lookClosely(
            open.stream().filter(topic -> !plentiful.contains(topic)).toList(), offered, now);
    Set<Topic> found = new HashSet<>(open);
    found.retainAll(plentiful);
    found.addAll(survey.available());
    return new Survey(found, survey.candidates(), survey.due(), survey.ofOffers());
  }

  private Survey lookClosely(List<Topic> topics, Map<Topic, List<Candidate>> offered, long now) {
    if (topics.isEmpty()) {
      spared = false;
      return Survey.NOTHING;
    }
    spared = now - sparedUntilNanos < 0;
    if (!spared) {
      return look(topics, now);
    }
    Map<Topic, List<Candidate>> mine = new HashMap<>(offered);
    mine.keySet().retainAll(topics);
    return Survey.of(mine);
  }

  private Survey look(List<Topic> topics, long now) {
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

  /** The next look is not spared: whoever asks will not look again. */
  void spareNothing() {
    sparedUntilNanos = clock.getAsLong();
  }

  /** The next look is a whole one: there is more that is due. */
  void lookAgain() {
    wholeNanos = clock.getAsLong() - wholeEveryNanos;
  }

  /**
   * A claim of {@code topic} got all that it asked for, or it did not. Of one that took offers that
   * says nothing about more.
   */
  void claimed(Topic topic, boolean all) {
    if (!all) {
      plentiful.remove(topic);
    } else if (!spared) {
      plentiful.add(topic);
    }
  }
}
