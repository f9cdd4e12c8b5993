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
 * A locked row of an ordering group, and the other messages of the group that may be handled.
 *
 * @param group its primary key
 * @param messageId the first message of the group that may be handled; null if there is none
 * @param others messages that may be handled concurrently with it, if the topic allows several per
 *     key
 * @param nextFrom no lower id waits, except messages that are not admitted yet
 * @param nextAt when the next message may start, if the topic has a rate per key
 * @param limits the topic's limits per key
 */
record GroupState(
    TopicKeyId group,
    @Nullable Long messageId,
    Set<Long> others,
    long nextFrom,
    Instant nextAt,
    GroupLimits limits) {

  /** Whether {@code id} may be handled. */
  boolean names(long id) {
    return (messageId != null && messageId == id) || others.contains(id);
  }

  /** How many more messages of the group may be handled; below 0 after the limit was lowered. */
  int capacity() {
    return limits.inFlight() - others.size() - (messageId == null ? 0 : 1);
  }

  /** A copy in which {@code ended} are not handled any more. */
  GroupState without(Collection<Long> ended) {
    Set<Long> left = new HashSet<>(others);
    left.removeAll(ended);
    Long first = messageId != null && ended.contains(messageId) ? null : messageId;
    return new GroupState(group, first, Set.copyOf(left), nextFrom, nextAt, limits);
  }

  /** A copy that searches from {@code id} on if that is lower. */
  GroupState from(long id) {
    return new GroupState(group, messageId, others, Math.min(nextFrom, id), nextAt, limits);
  }

  /** A copy in which {@code let} may be handled, too, and nothing below {@code from} waits. */
  GroupState with(List<Long> let, long from, Instant at) {
    List<Long> more = new ArrayList<>(let);
    Long first = messageId == null && !more.isEmpty() ? more.remove(0) : messageId;
    Set<Long> all = new HashSet<>(others);
    all.addAll(more);
    return new GroupState(group, first, Set.copyOf(all), from, at, limits);
  }

  /** The concurrent messages that {@code before} did not have. */
  Set<Long> othersSince(GroupState before) {
    Set<Long> added = new HashSet<>(others);
    added.removeAll(before.others);
    return added;
  }
}
