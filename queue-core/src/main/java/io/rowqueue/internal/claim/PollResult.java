package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a look found, and which topics have something that was offered instead of one.
 *
 * @param available the topics that have an available message
 * @param candidates of those that were looked at closely, the first {@link #MOST_CANDIDATES}, in
 *     claim order; fewer are all that the look could see
 * @param due whether a scheduled message is due, of whichever topic
 * @param offered those of {@code available} that nobody has looked at: there are {@link
 *     ReleasedCandidates}, and may be more
 */
public record PollResult(
    Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due, Set<Topic> offered) {

  /** How many candidates of a topic a close look brings at most. */
  public static final int MOST_CANDIDATES = 16;

  /** Nothing, or nothing was asked for. */
  public static final PollResult NOTHING = new PollResult(Set.of(), false);

  /** Copies what it is given. */
  public PollResult {
    available = Set.copyOf(available);
    candidates = Map.copyOf(candidates);
    offered = Set.copyOf(offered);
  }

  /** Of a look. */
  public PollResult(Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due) {
    this(available, candidates, due, Set.of());
  }

  /** Of a look that was not close. */
  public PollResult(Set<Topic> available, boolean due) {
    this(available, Map.of(), due);
  }
}
