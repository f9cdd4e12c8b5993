package io.rowqueue;

import io.rowqueue.internal.enqueue.JdbcBatchProducer;
import io.rowqueue.internal.enqueue.OwnTransactions;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues batches: many messages of which one more is enqueued when the last is settled. By
 * default in the transaction of the caller, like {@link MessageProducer}. Thread-safe.
 *
 * <p>A batch that is opened takes members until it is sealed, and completes once it is sealed and
 * none is left; an empty one completes by its seal. Whoever adds holds counters until his COMMIT,
 * for which settlements of members wait: add last, and commit soon.
 *
 * <p>A duplicate that was left out is no member. Every method throws {@link EnqueueException} if
 * the database does not take what is written, and what {@link MessageProducer} throws for a message
 * that is refused; what was written of the call is undone. Its account needs {@code grants
 * producer}.
 */
public interface BatchProducer {

  /** One whose messages {@code producer} enqueues. */
  static BatchProducer over(MessageProducer producer) {
    return new JdbcBatchProducer(producer, new OwnTransactions(null));
  }

  /** The same, but it wakes idle workers with {@code ring} after transactions of its own. */
  BatchProducer notifying(@Nullable WorkerNotifier notifier);

  /**
   * Opens a batch without members in the transaction that {@code transaction} runs in.
   *
   * @throws IllegalStateException if it is in no transaction (the connection commits by itself)
   */
  MessageBatch open(DSLContext transaction, BatchSettings settings);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  MessageBatch open(Connection connection, BatchSettings settings);

  /** The same in a transaction of its own. */
  MessageBatch open(DataSource dataSource, BatchSettings settings);

  /**
   * Adds {@code messages} to an open batch, or to one that is not complete yet.
   *
   * @return their ids, in their order
   * @throws io.rowqueue.BatchCompleteException if it is complete; nothing was enqueued
   * @throws IllegalStateException if it is in no transaction
   */
  List<MessageId> add(DSLContext transaction, MessageBatch batch, Collection<NewMessage> messages);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  List<MessageId> add(Connection connection, MessageBatch batch, Collection<NewMessage> messages);

  /** The same in a transaction of its own, which holds the counters for the shortest time. */
  List<MessageId> add(DataSource dataSource, MessageBatch batch, Collection<NewMessage> messages);

  /**
   * Says that nobody outside adds any more; members that are left still may, in their handlers.
   *
   * @return false if it was sealed before, or is gone
   * @throws IllegalStateException if it is in no transaction
   */
  boolean close(DSLContext transaction, MessageBatch batch);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  boolean close(Connection connection, MessageBatch batch);

  /** The same in a transaction of its own. */
  boolean close(DataSource dataSource, MessageBatch batch);

  /**
   * Opens a batch of {@code messages} and seals it.
   *
   * @throws IllegalStateException if it is in no transaction
   */
  MessageBatch enqueue(
      DSLContext transaction, BatchSettings settings, Collection<NewMessage> messages);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  MessageBatch enqueue(
      Connection connection, BatchSettings settings, Collection<NewMessage> messages);

  /**
   * The same in a transaction of its own, which has committed when this returns.
   *
   * @throws EnqueueOutcomeUnknownException if the connection was lost during the commit
   */
  MessageBatch enqueue(
      DataSource dataSource, BatchSettings settings, Collection<NewMessage> messages);
}
