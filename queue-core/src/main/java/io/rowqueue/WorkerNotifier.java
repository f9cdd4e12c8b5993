package io.rowqueue;

import io.rowqueue.internal.listen.KillQueryNotifier;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Wakes idle workers. Thread-safe. Never throws: a failed notification is logged, and the workers
 * find the messages by polling. Notifications of one topic within 5 to 15 ms are combined,
 * depending on how long they take.
 *
 * <p>{@link io.rowqueue.MessageProducer} notifies by itself after enqueuing in a transaction of its
 * own. If you enqueue in your own transaction, the notification must follow your commit: call
 * {@link #notifyWorkers(String...)} then, or let jOOQ do it with {@link Jooq#afterCommits}.
 */
public interface WorkerNotifier {

  /** Never notifies. */
  WorkerNotifier SILENT =
      new WorkerNotifier() {
        @Override
        public void notifyWorkers(Map<Topic, Integer> committed) {}

        @Override
        public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {}
      };

  /**
   * A notifier for the workers whose queue is in the schema of {@code dataSource}. Needs the
   * workers' own account, or the privileges PROCESS and CONNECTION_ADMIN. Without them, and behind
   * a proxy that changes connection ids, it logs one warning and leaves the workers to polling.
   */
  static WorkerNotifier over(DataSource dataSource) {
    return new KillQueryNotifier(dataSource);
  }

  /**
   * Wakes as many workers as the number of messages justifies, over a connection and a thread of
   * its own: it returns at once, and may be called while the caller holds the last connection of
   * the pool.
   *
   * @param committed how many messages went to each topic, in a transaction that has committed
   */
  void notifyWorkers(Map<Topic, Integer> committed);

  /**
   * Wakes workers over the caller's connection.
   *
   * @param committed how many messages went to each topic, in a transaction that has committed
   * @param idle not in a transaction, and left so
   */
  void notifyWorkers(Map<Topic, Integer> committed, Connection idle);

  /**
   * Wakes workers for messages that a worker's own settlement has made available. A worker's own
   * notifier may skip messages that its free threads can take, because it polls again by itself.
   *
   * @param committed how many messages of each topic are available, in a transaction that has
   *     committed
   * @param idle not in a transaction, and left so
   */
  default void notifyAboutReleased(Map<Topic, Integer> committed, Connection idle) {
    notifyWorkers(committed, idle);
  }

  /**
   * Wakes processes that await results, over the caller's connection.
   *
   * @param waiters their registered names; those that are gone or not asleep are skipped
   * @param idle not in a transaction, and left so
   */
  default void notifyResultWaiters(Set<String> waiters, Connection idle) {}

  /**
   * Wakes a worker of each topic: for callers that have just committed a transaction in which they
   * enqueued.
   *
   * @throws io.rowqueue.InvalidMessageException if a topic's name is invalid
   */
  default void notifyWorkers(String... topics) {
    Map<Topic, Integer> committed = new HashMap<>();
    for (String topic : topics) {
      committed.merge(new Topic(topic), 1, Integer::sum);
    }
    notifyWorkers(committed);
  }
}
