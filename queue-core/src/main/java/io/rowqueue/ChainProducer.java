package io.rowqueue;

import io.rowqueue.internal.enqueue.JdbcChainProducer;
import io.rowqueue.internal.enqueue.OwnTransactions;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues chains: the ack of each message enqueues the next, in its transaction. By default in the
 * transaction of the caller, like {@link MessageProducer}. Thread-safe.
 *
 * <p>A step that becomes a dead letter stops its chain; when it is redriven, the chain continues.
 * Every method throws the exceptions of {@link BatchProducer}, and then undoes the writes of the
 * call. Its account needs {@code grants producer}.
 */
public interface ChainProducer {

  /** A producer of chains whose messages {@code producer} encodes. */
  static ChainProducer over(MessageProducer producer) {
    return new JdbcChainProducer(producer, new OwnTransactions(null));
  }

  /** A copy that wakes idle workers by {@code notifier} after transactions of its own. */
  ChainProducer notifying(@Nullable WorkerNotifier notifier);

  /**
   * Enqueues the first message of {@code chain}, and stores the others, in the transaction of
   * {@code connection}.
   *
   * @return the chain's id
   * @throws IllegalStateException if there is no transaction
   */
  long enqueue(Connection connection, Chain chain);

  /** Enqueues a chain in a transaction of its own. */
  long enqueue(DataSource dataSource, Chain chain);

  /**
   * Enqueues a chain as one member of {@code batch}, in the transaction of {@code connection}: the
   * member ends with the chain.
   *
   * @throws io.rowqueue.BatchCompleteException if the batch is complete; nothing was enqueued
   */
  long add(Connection connection, MessageBatch batch, Chain chain);

  /** Enqueues a chain as a member in a transaction of its own. */
  long add(DataSource dataSource, MessageBatch batch, Chain chain);
}
