package io.rowqueue.claim;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.message.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What this process has made available and its own claimer may take without a look: with an old
 * snapshot open, a look for one message walks over all that were handled before it. For speed only:
 * a look finds them, too, and somebody else may be faster. Thread-safe.
 */
@Singleton
public final class Offers {

  /** More are left to looks, which are worth their price then. */
  private static final int MOST = Survey.MOST_CANDIDATES - 1;

  private static final Comparator<Candidate> CLAIM_ORDER =
      Comparator.comparingInt(Candidate::priority).thenComparingLong(Candidate::id);

  private final Map<Topic, List<Candidate>> byTopic = new HashMap<>();

  /** Of nothing. */
  @Inject
  public Offers() {}

  /** {@code candidate} of {@code topic} is available, and committed. */
  public synchronized void offer(Topic topic, Candidate candidate) {
    List<Candidate> its = byTopic.computeIfAbsent(topic, one -> new ArrayList<>());
    if (its.size() < MOST) {
      its.add(candidate);
    }
  }

  /** Those of {@code topics}, each once, in claim order; a topic without any is left out. */
  public synchronized Map<Topic, List<Candidate>> take(Collection<Topic> topics) {
    Map<Topic, List<Candidate>> taken = new HashMap<>();
    for (Topic topic : topics) {
      List<Candidate> its = byTopic.remove(topic);
      if (its != null) {
        its.sort(CLAIM_ORDER);
        taken.put(topic, its);
      }
    }
    return taken;
  }
}
