package io.rowqueue.worker.poll;

import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.Question;
import io.rowqueue.message.Topic;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds the topics that are worth a claim with as few and as cheap reads as it can: a topic whose
 * last claim got all that it asked for is not looked at again before the next whole look, since a
 * look has no cursor and would walk over every row that an old snapshot keeps. For one thread.
 */
final class Lookout {

  private final ClaimStore claims;
  private final Supplier<List<Question>> aside;
  private final long wholeEveryNanos;
  private final Set<Topic> plentiful = new HashSet<>();
  private long wholeNanos;

  Lookout(ClaimStore claims, Supplier<List<Question>> aside, Duration wholeEvery) {
    this.claims = claims;
    this.aside = aside;
    this.wholeEveryNanos = wholeEvery.toNanos();
    this.wholeNanos = System.nanoTime() - wholeEveryNanos;
  }

  /**
   * Those of {@code open} that have something, and now and then whether something is due, and what
   * others want to know.
   *
   * @param quick whether somebody waits for what it finds, so that the whole look has to wait its
   *     turn once more
   */
  Survey look(List<Topic> open, boolean quick) {
    long now = System.nanoTime();
    boolean whole = now - wholeNanos >= (quick ? 2 : 1) * wholeEveryNanos;
    List<Topic> asked =
        whole ? open : open.stream().filter(topic -> !plentiful.contains(topic)).toList();
    Survey survey = whole ? claims.survey(asked, aside.get()) : claims.survey(asked);
    if (whole) {
      wholeNanos = now;
      plentiful.retainAll(survey.available());
      return survey;
    }
    Set<Topic> found = new HashSet<>(open);
    found.retainAll(plentiful);
    found.addAll(survey.available());
    return new Survey(found, survey.candidates(), survey.due());
  }

  /** The next look is a whole one: there is more that is due. */
  void lookAgain() {
    wholeNanos = System.nanoTime() - wholeEveryNanos;
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
