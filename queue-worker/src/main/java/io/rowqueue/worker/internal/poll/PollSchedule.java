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
 * Finds topics worth claiming with few and cheap reads. A poll scans every row version that an old
 * snapshot keeps: formerly available rows precede the messages found, and formerly claimed ones
 * follow them. Therefore a topic whose last claim was filled completely is not polled again before
 * the next full poll. If polls are expensive, topics with ordering keys, whose next messages are
 * known from releases, are polled at most a fifth of the time; in between, only released messages
 * are claimed. For one thread.
 */
final class PollSchedule {

  /** A faster poll is not worth skipping. */
  private static final long CHEAP_NANOS = Duration.ofMillis(1).toNanos();

  /**
   * After an expensive poll, topics with released messages are skipped for this multiple of its
   * duration.
   */
  private static final int SPARED = 4;

  /**
   * The upper bound of that delay, for messages enqueued by others; the poll may have been slow
   * because the server stalled.
   */
  private static final long LONGEST_SPARED_NANOS = Duration.ofMillis(200).toNanos();

  /** A topic with released messages in this period is assumed to have ordering keys. */
  private static final long OFFERED_NANOS = Duration.ofSeconds(1).toNanos();

  private final ClaimStore claims;
  private final ReleasedCandidates offers;
  private final Supplier<List<PiggybackQuery>> aside;
  private final long wholeEveryNanos;
  private final LongSupplier clock;
  private final Set<Topic> plentiful = new HashSet<>();

  /** The time of the last released message. */
  private final Map<Topic, Long> offeredNanos = new HashMap<>();

  private long wholeNanos;

  /** Topics with ordering keys are not polled before this time. */
  private long sparedUntilNanos;

  /**
   * Whether the last poll skipped such a topic, so that it may have more messages than were
   * released.
   */
  private boolean spared;

  PollSchedule(
      ClaimStore claims,
      ReleasedCandidates offers,
      Supplier<List<PiggybackQuery>> aside,
      Duration wholeEvery) {
    this(claims, offers, aside, wholeEvery, System::nanoTime);
  }

  /** Creates a schedule with a clock like {@link System#nanoTime}. */
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
   * Returns the topics of {@code open} that have messages; sometimes also checks for due messages
   * and runs the additional queries.
   *
   * @param quick whether a caller waits for the result, so that a full poll is postponed once
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
    // The full poll also covers them.
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

  /** Returns the time to the next poll; {@code longest} unless the last one skipped topics. */
  Duration wait(Duration longest) {
    if (!spared) {
      return longest;
    }
    long left = Math.max(0, sparedUntilNanos - clock.getAsLong());
    return left < longest.toNanos() ? Duration.ofNanos(left) : longest;
  }

  /** Makes the next poll skip nothing, for a caller that polls only once more. */
  void pollAllNow() {
    sparedUntilNanos = clock.getAsLong();
  }

  /** Makes the next poll a full one, since more messages are due. */
  void pollAgain() {
    wholeNanos = clock.getAsLong() - wholeEveryNanos;
  }

  /**
   * Records whether a claim of {@code topic}, except for released messages, was filled completely.
   */
  void claimed(Topic topic, boolean all) {
    if (all) {
      plentiful.add(topic);
    } else {
      plentiful.remove(topic);
    }
  }
}
