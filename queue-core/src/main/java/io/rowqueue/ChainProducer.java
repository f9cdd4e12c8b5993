package io.rowqueue;

import io.rowqueue.internal.enqueue.JdbcChainProducer;
import io.rowqueue.internal.enqueue.OwnTransactions;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues chains: messages of which each is enqueued by the ack of the one before, in its
 * transaction. By default in the transaction of the caller, like {@link MessageProducer}.
 * Thread-safe.
 *
 * <p>A step that becomes a dead letter stops its chain; its redrive lets it go on. Every method
 * throws what those of {@link BatchProducer} do, and leaves nothing of the call then. Its account
 * needs {@code grants producer}.
 */
public interface ChainProducer {

  /** One whose messages {@code producer} encodes, and of which it enqueues the first. */
  static ChainProducer over(MessageProducer producer) {
    return new JdbcChainProducer(producer, new OwnTransactions(null));
  }

  /** The same, but it wakes idle workers with {@code ring} after transactions of its own. */
  ChainProducer notifying(@Nullable WorkerNotifier notifier);

  /**
   * Enqueues the first message of {@code chain}, and keeps the others.
   *
   * @return the chain's id
   * @throws IllegalStateException if it is in no transaction
   */
  long enqueue(DSLContext transaction, Chain chain);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  long enqueue(Connection connection, Chain chain);

  /** The same in a transaction of its own. */
  long enqueue(DataSource dataSource, Chain chain);

  /**
   * The same, as one member of {@code batch}: its end is the member's.
   *
   * @throws io.rowqueue.BatchCompleteException if that is complete; nothing was enqueued
   */
  long add(DSLContext transaction, MessageBatch batch, Chain chain);

  /** The same in the transaction of {@code connection}, which the caller commits. */
  long add(Connection connection, MessageBatch batch, Chain chain);

  /** The same in a transaction of its own. */
  long add(DataSource dataSource, MessageBatch batch, Chain chain);
}
