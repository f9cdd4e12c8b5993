package io.rowqueue.internal.order;

import io.rowqueue.internal.message.TopicKeyId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A locked row of the heads, and who else of its line may be handled.
 *
 * @param line its primary key
 * @param messageId the first of its line that may be handled; null if there is none
 * @param others those that may be handled beside it, where the topic has room for several
 * @param nextFrom nothing waits below it, but what is announced
 * @param nextAt when the next may begin, where the topic has a rate
 * @param limits what holds for each line of its topic
 */
record GroupState(
    TopicKeyId line,
    @Nullable Long messageId,
    Set<Long> others,
    long nextFrom,
    Instant nextAt,
    GroupLimits limits) {

  /** Whether {@code id} may be handled. */
  boolean names(long id) {
    return (messageId != null && messageId == id) || others.contains(id);
  }

  /** How many more of its line may be handled; below 0 where the limit was lowered. */
  int capacity() {
    return limits.inFlight() - others.size() - (messageId == null ? 0 : 1);
  }

  /** The same when {@code ended} are not handled any more. */
  GroupState without(Collection<Long> ended) {
    Set<Long> left = new HashSet<>(others);
    left.removeAll(ended);
    Long first = messageId != null && ended.contains(messageId) ? null : messageId;
    return new GroupState(line, first, Set.copyOf(left), nextFrom, nextAt, limits);
  }

  /** The same, looking from {@code id} on if that is lower. */
  GroupState from(long id) {
    return new GroupState(line, messageId, others, Math.min(nextFrom, id), nextAt, limits);
  }

  /** The same when {@code let} may be handled, too, and nothing waits below {@code from}. */
  GroupState with(List<Long> let, long from, Instant at) {
    List<Long> more = new ArrayList<>(let);
    Long first = messageId == null && !more.isEmpty() ? more.remove(0) : messageId;
    Set<Long> all = new HashSet<>(others);
    all.addAll(more);
    return new GroupState(line, first, Set.copyOf(all), from, at, limits);
  }

  /** Those that stand beside it and did not beside {@code before}. */
  Set<Long> othersSince(GroupState before) {
    Set<Long> added = new HashSet<>(others);
    added.removeAll(before.others);
    return added;
  }
}
