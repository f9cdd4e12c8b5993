package io.rowqueue.internal.claim;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * What this process has made available and its own claimer may take without a look: with an old
 * snapshot open, a look for one message walks over all that were handled before it. For speed only:
 * a look finds them, too, and somebody else may be faster. Thread-safe.
 */
@Singleton
public final class ReleasedCandidates {

  /** Of a topic; more are left to looks, which are worth their price then. */
  private static final int MOST = 500;

  private static final Comparator<Candidate> CLAIM_ORDER =
      Comparator.comparingInt(Candidate::priority).thenComparingLong(Candidate::id);

  /** Of topics that somebody claims here. */
  private final Map<Topic, NavigableSet<Candidate>> byTopic = new HashMap<>();

  /** Of nothing, to nobody. */
  @Inject
  public ReleasedCandidates() {}

  /** {@code candidate} of {@code topic} is available, and committed. */
  public synchronized void add(Topic topic, Candidate candidate) {
    NavigableSet<Candidate> its = byTopic.get(topic);
    if (its != null && its.size() < MOST) {
      its.add(candidate);
    }
  }

  /** A look at {@code topics} is about to begin, and sees what was offered until now. */
  public synchronized void clear(Collection<Topic> topics) {
    topics.forEach(
        topic -> byTopic.computeIfAbsent(topic, one -> new TreeSet<>(CLAIM_ORDER)).clear());
  }

  /** Whether there is something of {@code topic}. */
  public synchronized boolean has(Topic topic) {
    NavigableSet<Candidate> its = byTopic.get(topic);
    return its != null && !its.isEmpty();
  }

  /** The first {@code most} of {@code topic} in claim order, or fewer; nobody gets them again. */
  public synchronized List<Candidate> take(Topic topic, int most) {
    NavigableSet<Candidate> its = byTopic.get(topic);
    if (its == null) {
      return List.of();
    }
    List<Candidate> taken = its.stream().limit(most).toList();
    taken.forEach(its::remove);
    return taken;
  }
}
