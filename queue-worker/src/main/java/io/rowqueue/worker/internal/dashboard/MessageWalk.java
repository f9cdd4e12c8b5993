package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Filter;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Iterates once over matching messages of several states, a range of an index per statement.
 * Confined to one thread.
 */
final class MessageWalk {

  /** The states of unclaimed messages: one that moves on moves to a later one. */
  static final List<Byte> WAITING =
      List.of(
          MessageState.SCHEDULED,
          MessageState.ARRIVING,
          MessageState.BLOCKED,
          MessageState.AVAILABLE);

  private final Deque<JooqMessageSearch> searches = new ArrayDeque<>();

  MessageWalk(Transactions transactions, List<Scope> scopes, Filter filter) {
    scopes.forEach(scope -> searches.add(new JooqMessageSearch(transactions, scope, filter, null)));
  }

  /** Counts them, up to a limit, for {@code time} at most. */
  Count count(Duration time) {
    long start = System.nanoTime();
    int found = 0;
    boolean isAll = true;
    for (JooqMessageSearch search : searches) {
      Duration left = time.minusNanos(System.nanoTime() - start);
      found += search.count(CountLimit.MOST - found, left);
      isAll &= search.isAtEnd();
    }
    return new Count(found, isAll);
  }

  /** Returns up to {@code most}; an empty result does not mean the end. */
  List<MessageId> next(int most) {
    JooqMessageSearch search = searches.peek();
    if (search == null) {
      return List.of();
    }
    List<MessageId> ids = search.next(most).stream().map(row -> new MessageId(row.id())).toList();
    if (search.isAtEnd()) {
      searches.remove();
    }
    return ids;
  }

  boolean isAtEnd() {
    return searches.isEmpty();
  }
}
