package io.rowqueue.claim;

import io.rowqueue.message.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a look found, or what was offered instead of one.
 *
 * @param available the topics that have an available message
 * @param candidates of those that were looked at closely, the first {@link #MOST_CANDIDATES}, in
 *     claim order; fewer are all that the look could see
 * @param due whether a scheduled message is due, of whichever topic
 * @param ofOffers whether nobody looked, so that there may be more of whichever topic
 */
public record Survey(
    Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due, boolean ofOffers) {

  /** How many candidates of a topic a close look brings at most. */
  public static final int MOST_CANDIDATES = 16;

  /** Nothing, or nothing was asked for. */
  public static final Survey NOTHING = new Survey(Set.of(), false);

  /** Copies what it is given. */
  public Survey {
    available = Set.copyOf(available);
    candidates = Map.copyOf(candidates);
  }

  /** Of a look. */
  public Survey(Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due) {
    this(available, candidates, due, false);
  }

  /** Of a look that was not close. */
  public Survey(Set<Topic> available, boolean due) {
    this(available, Map.of(), due);
  }

  /** Instead of a look. */
  public static Survey of(Map<Topic, List<Candidate>> offers) {
    return new Survey(offers.keySet(), offers, false, true);
  }
}
