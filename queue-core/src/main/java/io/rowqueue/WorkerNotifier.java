package io.rowqueue;

import io.rowqueue.internal.wakeup.NotifyAfterCommitListener;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jooq.TransactionListenerProvider;

/**
 * Wakes idle workers. Thread-safe. Never throws: a failed ring is logged, and the workers find the
 * messages by their own looks. Rings for one topic within 5 to 15 ms of each other, by how long
 * they take, are one.
 *
 * <p>{@link io.rowqueue.MessageProducer} rings by itself after enqueueing in a transaction of its
 * own. Inside a transaction of yours the ring can only follow your commit: call {@link
 * #notifyWorkers(String...)} then, or let jOOQ do it with {@link #afterJooqCommits()}.
 */
public interface WorkerNotifier {

  /** Wakes nobody. */
  WorkerNotifier SILENT =
      new WorkerNotifier() {
        @Override
        public void notifyWorkers(Map<Topic, Integer> committed) {}

        @Override
        public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {}
      };

  /**
   * Wakes as many workers as so many messages are worth, over a connection of its own that it takes
   * on a thread of its own: it returns at once, and may be called by whoever holds the last
   * connection of the pool.
   *
   * @param committed how many messages went to each topic, in a transaction that has committed
   */
  void notifyWorkers(Map<Topic, Integer> committed);

  /**
   * The same over a connection that the caller lends.
   *
   * @param idle in no transaction, and left so
   */
  void notifyWorkers(Map<Topic, Integer> committed, Connection idle);

  /**
   * The same for messages that a worker's own settlement has let go: the worker that settles looks
   * again by itself once it has a thread to spare.
   *
   * @param idle in no transaction, and left so
   */
  default void notifyAboutReleased(Map<Topic, Integer> committed, Connection idle) {
    notifyWorkers(committed, idle);
  }

  /**
   * Wakes processes that await results, over a connection that the caller lends.
   *
   * @param waiters as they have registered; whoever is not there, or not asleep, is left out
   * @param idle in no transaction, and left so
   */
  default void notifyResultWaiters(Set<String> waiters, Connection idle) {}

  /**
   * Wakes a worker of each topic: for callers who have just committed a transaction in which they
   * enqueued.
   *
   * @throws io.rowqueue.InvalidMessageException if no topic can have such a name
   */
  default void notifyWorkers(String... topics) {
    Map<Topic, Integer> committed = new HashMap<>();
    for (String topic : topics) {
      committed.merge(new Topic(topic), 1, Integer::sum);
    }
    notifyWorkers(committed);
  }

  /**
   * For {@code configuration.set(...)} of jOOQ: after each outermost {@code dsl.transaction(...)}
   * in which a producer enqueued through the transaction's own {@code DSLContext}, it rings.
   */
  default TransactionListenerProvider afterJooqCommits() {
    return () -> new NotifyAfterCommitListener(this);
  }
}
