package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The result of a poll.
 *
 * @param available the topics that have an available message
 * @param candidates for topics that were polled in depth, the first {@link #MOST_CANDIDATES}
 *     messages in claim order; if fewer, the poll saw no others
 * @param due whether a scheduled message is due, of any topic
 * @param offered topics of {@code available} that were not polled, because there are {@link
 *     ReleasedCandidates} of them; there may be more messages
 */
public record PollResult(
    Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due, Set<Topic> offered) {

  /** The maximum number of candidates per topic. */
  public static final int MOST_CANDIDATES = 16;

  /** No messages, or no topic was polled. */
  public static final PollResult NOTHING = new PollResult(Set.of(), false);

  /** Copies its arguments. */
  public PollResult {
    available = Set.copyOf(available);
    candidates = Map.copyOf(candidates);
    offered = Set.copyOf(offered);
  }

  /** Of a poll in depth. */
  public PollResult(Set<Topic> available, Map<Topic, List<Candidate>> candidates, boolean due) {
    this(available, candidates, due, Set.of());
  }

  /** Of a poll without candidates. */
  public PollResult(Set<Topic> available, boolean due) {
    this(available, Map.of(), due);
  }
}
