package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds the topics that are worth a claim with as few and as cheap reads as it can. A look walks
 * over every row that an old snapshot keeps, wherever it begins: those that were available lie
 * before what is found, those that were claimed behind it. So a topic whose last claim got all that
 * it asked for is not looked at again before the next whole look; and where looks are dear, topics
 * with lines, whose next messages are offered, are looked at in a fifth of the time, and meanwhile
 * only offers of them are claimed. For one thread.
 */
final class PollSchedule {

  /** A look that takes no longer is not worth sparing. */
  private static final long CHEAP_NANOS = Duration.ofMillis(1).toNanos();

  /** For so many times as long as a dear look took, there is none. */
  private static final int SPARED = 4;

  /** What others have enqueued waits no longer; it may be the server that stood still. */
  private static final long LONGEST_SPARED_NANOS = Duration.ofMillis(200).toNanos();

  /** A topic of which something was offered in that time has lines. */
  private static final long OFFERED_NANOS = Duration.ofSeconds(1).toNanos();

  private final ClaimStore claims;
  private final ReleasedCandidates offers;
  private final Supplier<List<PiggybackQuery>> aside;
  private final long wholeEveryNanos;
  private final LongSupplier clock;
  private final Set<Topic> plentiful = new HashSet<>();

  /** When something was last offered. */
  private final Map<Topic, Long> offeredNanos = new HashMap<>();

  private long wholeNanos;

  /** Until then nobody looks at topics with lines. */
  private long sparedUntilNanos;

  /** Whether the last look left such a topic out, so that there may be more than was offered. */
  private boolean spared;

  PollSchedule(
      ClaimStore claims,
      ReleasedCandidates offers,
      Supplier<List<PiggybackQuery>> aside,
      Duration wholeEvery) {
    this(claims, offers, aside, wholeEvery, System::nanoTime);
  }

  /** The same by a clock like {@link System#nanoTime}. */
  PollSchedule(
      ClaimStore claims,
      ReleasedCandidates offers,
      Supplier<List<PiggybackQuery>> aside,
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
  PollResult poll(List<Topic> open, boolean quick) {
    long now = clock.getAsLong();
    open.stream().filter(offers::has).forEach(topic -> offeredNanos.put(topic, now));
    boolean whole = now - wholeNanos >= (quick ? 2 : 1) * wholeEveryNanos;
    if (whole) {
      offers.clear(open);
      PollResult poll = claims.poll(open, aside.get());
      wholeNanos = now;
      spared = false;
      plentiful.retainAll(poll.available());
      return poll;
    }
    PollResult poll =
        pollDeeply(open.stream().filter(topic -> !plentiful.contains(topic)).toList(), now);
    Set<Topic> found = new HashSet<>(open);
    found.retainAll(plentiful);
    found.addAll(poll.available());
    return new PollResult(found, poll.candidates(), poll.due(), poll.offered());
  }

  private PollResult pollDeeply(List<Topic> topics, long now) {
    Set<Topic> left = now - sparedUntilNanos < 0 ? withLines(topics, now) : Set.of();
    spared = !left.isEmpty();
    PollResult poll =
        pollTopic(topics.stream().filter(topic -> !left.contains(topic)).toList(), now);
    Set<Topic> offered = left.stream().filter(offers::has).collect(Collectors.toSet());
    Set<Topic> available = new HashSet<>(offered);
    available.addAll(poll.available());
    return new PollResult(available, poll.candidates(), poll.due(), offered);
  }

  private Set<Topic> withLines(List<Topic> topics, long now) {
    offeredNanos.values().removeIf(nanos -> now - nanos > OFFERED_NANOS);
    return topics.stream().filter(offeredNanos::containsKey).collect(Collectors.toSet());
  }

  private PollResult pollTopic(List<Topic> topics, long now) {
    if (topics.isEmpty()) {
      return PollResult.NOTHING;
    }
    // It sees them, too.
    offers.clear(topics);
    PollResult poll = claims.poll(topics);
    if (!withLines(topics, now).isEmpty()) {
      long end = clock.getAsLong();
      skip(end, end - now);
    }
    return poll;
  }

  private void skip(long end, long took) {
    long dear = took < CHEAP_NANOS ? 0 : Math.min(SPARED * took, LONGEST_SPARED_NANOS);
    sparedUntilNanos = end + dear;
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
  void pollAllNow() {
    sparedUntilNanos = clock.getAsLong();
  }

  /** The next look is a whole one: there is more that is due. */
  void pollAgain() {
    wholeNanos = clock.getAsLong() - wholeEveryNanos;
  }

  /** A claim of {@code topic}, not of offers, got all that it asked for, or it did not. */
  void claimed(Topic topic, boolean all) {
    if (all) {
      plentiful.add(topic);
    } else {
      plentiful.remove(topic);
    }
  }
}
