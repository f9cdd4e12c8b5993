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
 * Messages that this process has made available and that its claimer may claim without a poll:
 * while an old snapshot is open, a poll for one message scans all that were handled before it. This
 * is an optimization only: a poll finds them, too, and another worker may claim them first.
 * Thread-safe.
 */
@Singleton
public final class ReleasedCandidates {

  /** Per topic. Beyond that, polls find them at an acceptable cost. */
  private static final int MOST = 500;

  private static final Comparator<Candidate> CLAIM_ORDER =
      Comparator.comparingInt(Candidate::priority).thenComparingLong(Candidate::id);

  /** For the topics that this worker claims. */
  private final Map<Topic, NavigableSet<Candidate>> byTopic = new HashMap<>();

  /** Without topics: candidates are discarded. */
  @Inject
  public ReleasedCandidates() {}

  /** {@code candidate} of {@code topic} is available, and committed. */
  public synchronized void add(Topic topic, Candidate candidate) {
    NavigableSet<Candidate> its = byTopic.get(topic);
    if (its != null && its.size() < MOST) {
      its.add(candidate);
    }
  }

  /** A poll of {@code topics} is about to start, and will see the candidates added so far. */
  public synchronized void clear(Collection<Topic> topics) {
    topics.forEach(
        topic -> byTopic.computeIfAbsent(topic, one -> new TreeSet<>(CLAIM_ORDER)).clear());
  }

  /** Whether there are candidates of {@code topic}. */
  public synchronized boolean has(Topic topic) {
    NavigableSet<Candidate> its = byTopic.get(topic);
    return its != null && !its.isEmpty();
  }

  /**
   * Removes and returns the first candidates of {@code topic} in claim order, at most {@code most}.
   */
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
