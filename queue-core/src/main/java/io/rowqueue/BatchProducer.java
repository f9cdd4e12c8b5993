package io.rowqueue;

import io.rowqueue.internal.enqueue.JdbcBatchProducer;
import io.rowqueue.internal.enqueue.OwnTransactions;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues batches: many messages, and a completion message that is enqueued when the last of them
 * is settled. By default in the transaction of the caller, like {@link MessageProducer}.
 * Thread-safe.
 *
 * <p>An open batch accepts members until it is closed, and completes once it is closed and no
 * member is left; an empty one completes when it is closed. Adding members locks counters until the
 * COMMIT, for which settlements of members wait: add last, and commit soon.
 *
 * <p>A skipped duplicate is not a member. Every method throws {@link EnqueueException} if the
 * database refuses a statement, and the exceptions of {@link MessageProducer} for a message that is
 * rejected; the writes of the call are undone. Its account needs {@code grants producer}.
 */
public interface BatchProducer {

  /** A producer of batches whose messages {@code producer} enqueues. */
  static BatchProducer over(MessageProducer producer) {
    return new JdbcBatchProducer(producer, new OwnTransactions(null));
  }

  /** A copy that wakes idle workers by {@code notifier} after transactions of its own. */
  BatchProducer notifying(@Nullable WorkerNotifier notifier);

  /**
   * Opens a batch without members in the transaction of {@code connection}, which the caller
   * commits.
   *
   * @throws IllegalStateException if there is no transaction (auto-commit is on)
   */
  MessageBatch open(Connection connection, BatchSettings settings);

  /** Opens a batch in a transaction of its own. */
  MessageBatch open(DataSource dataSource, BatchSettings settings);

  /**
   * Adds {@code messages} to a batch that is not complete yet, in the transaction of {@code
   * connection}.
   *
   * @return their ids, in their order
   * @throws io.rowqueue.BatchCompleteException if it is complete; nothing was enqueued
   * @throws IllegalStateException if there is no transaction
   */
  List<MessageId> add(Connection connection, MessageBatch batch, Collection<NewMessage> messages);

  /** Adds members in a transaction of its own, which holds the locks for the shortest time. */
  List<MessageId> add(DataSource dataSource, MessageBatch batch, Collection<NewMessage> messages);

  /**
   * Closes the batch for members from outside, in the transaction of {@code connection}; handlers
   * of its members may still add some.
   *
   * @return false if it was closed before, or is gone
   * @throws IllegalStateException if there is no transaction
   */
  boolean close(Connection connection, MessageBatch batch);

  /** Closes the batch in a transaction of its own. */
  boolean close(DataSource dataSource, MessageBatch batch);

  /**
   * Opens a batch of {@code messages} and closes it, in the transaction of {@code connection}.
   *
   * @throws IllegalStateException if there is no transaction
   */
  MessageBatch enqueue(
      Connection connection, BatchSettings settings, Collection<NewMessage> messages);

  /**
   * Enqueues a closed batch in a transaction of its own, which has committed when this returns.
   *
   * @throws EnqueueOutcomeUnknownException if the connection was lost during the commit
   */
  MessageBatch enqueue(
      DataSource dataSource, BatchSettings settings, Collection<NewMessage> messages);
}
