package io.rowqueue.spring;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Publications;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Enqueues in the Spring transaction that is under way on the queue's data source, whether JDBC,
 * JPA, jOOQ or MyBatis began it: the message exists if that transaction commits, and never existed
 * if it rolls back. Workers are notified after the commit. Thread-safe.
 *
 * <p>Outside a transaction, each call has one of its own, which has committed when the call
 * returns. The same holds in callbacks after a transaction, such as {@code
 * TransactionalEventListener(AFTER_COMMIT)}: there the call uses the connection that Spring still
 * holds, so it needs no second one of the pool.
 *
 * <p>A transaction of another data source, or of JTA, is not joined. The methods throw what those
 * of {@link MessageProducer} throw.
 */
public final class QueueTemplate {

  private static final Logger LOG = LoggerFactory.getLogger(QueueTemplate.class);

  private final Supplier<MessageProducer> producer;
  private final WorkerNotifier notifier;
  private final DataSource dataSource;
  private final DataSource alone;
  private final JdbcTransactions transactions;

  /**
   * Creates a template.
   *
   * @param dataSource the one whose transactions Spring manages, and not a transaction-aware proxy
   *     of it
   */
  public QueueTemplate(MessageProducer producer, WorkerNotifier notifier, DataSource dataSource) {
    this(() -> producer.notifying(notifier), notifier, dataSource, dataSource);
  }

  /**
   * For tests.
   *
   * @param producer notifies workers as it needs
   * @param alone for calls outside a transaction
   */
  QueueTemplate(
      Supplier<MessageProducer> producer,
      WorkerNotifier notifier,
      DataSource dataSource,
      DataSource alone) {
    this.producer = producer;
    this.notifier = notifier;
    this.dataSource = dataSource;
    this.alone = alone;
    this.transactions = new JdbcTransactions(dataSource);
  }

  /** Enqueues {@code payload}, encoded as JSON unless the application has another codec. */
  public MessageId enqueue(String topic, Object payload) {
    return enqueue(NewMessage.of(topic, payload));
  }

  /** Enqueues {@code message}. */
  public MessageId enqueue(NewMessage message) {
    return enqueueAll(List.of(message)).get(0);
  }

  /** Enqueues all of {@code messages}, or none; returns the ids in their order. */
  public List<MessageId> enqueueAll(Collection<NewMessage> messages) {
    return enqueueAllWithResults(messages).stream().map(EnqueueResult::id).toList();
  }

  /**
   * Like {@link #enqueueAll}, but returns the result of each message, in their order; for messages
   * with a {@link io.rowqueue.Deduplication}.
   */
  public List<EnqueueResult> enqueueAllWithResults(Collection<NewMessage> messages) {
    Map<Topic, Integer> topics = new HashMap<>();
    messages.forEach(message -> topics.merge(message.topic(), 1, Integer::sum));
    return write(
        messages,
        producer.get()::enqueueAllWithResults,
        producer.get()::enqueueAllWithResults,
        ids -> topics);
  }

  /** Enqueues a copy of {@code payload} for each topic that is subscribed to {@code source}. */
  public Publication publish(String source, Object payload) {
    return publish(NewMessage.of(source, payload));
  }

  /** Enqueues a copy of {@code message} for each topic that is subscribed to its topic. */
  public Publication publish(NewMessage message) {
    return publishAll(List.of(message)).all().get(0);
  }

  /** Publishes all of {@code messages}, or none. */
  public Publications publishAll(Collection<NewMessage> messages) {
    return write(
        messages, producer.get()::publishAll, producer.get()::publishAll, QueueTemplate::topics);
  }

  private static Map<Topic, Integer> topics(Publications publications) {
    Map<Topic, Integer> topics = new HashMap<>();
    for (Publication publication : publications.all()) {
      publication.copies().keySet().forEach(topic -> topics.merge(topic, 1, Integer::sum));
    }
    return topics;
  }

  private <T> T write(
      Collection<NewMessage> messages,
      BiFunction<Connection, Collection<NewMessage>, T> joined,
      BiFunction<DataSource, Collection<NewMessage>, T> apart,
      Function<T, Map<Topic, Integer>> topics) {
    ConnectionHolder holder = transactions.holder();
    if (holder == null) {
      return apart.apply(alone, messages);
    }
    AfterCommit transaction = AfterCommit.of(holder);
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      if (transaction == null || transaction.hasCommitted()) {
        T result = commitAlone(connection, () -> joined.apply(connection, messages));
        io.rowqueue.internal.wakeup.AfterCommit.run(
            () -> notifier.notifyWorkers(topics.apply(result)));
        return result;
      }
      T result = joined.apply(connection, messages);
      transaction.notify(notifier, topics.apply(result));
      return result;
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  /** On the connection of a transaction that has ended, which may have been one that only reads. */
  private static <T> T commitAlone(Connection connection, Supplier<T> work) {
    boolean autoCommit;
    boolean readOnly;
    try {
      autoCommit = connection.getAutoCommit();
      readOnly = connection.isReadOnly();
      if (readOnly) {
        connection.setReadOnly(false);
      }
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new EnqueueException("the messages were not enqueued: " + e.getMessage(), e);
    }
    T result;
    try {
      result = work.get();
      commit(connection);
    } catch (RuntimeException | Error e) {
      rollback(connection, autoCommit, readOnly, e);
      throw e;
    }
    try {
      restore(connection, autoCommit, readOnly);
    } catch (SQLException e) {
      LOG.debug("the connection was lost after the messages were enqueued: {}", e.getMessage());
    }
    return result;
  }

  private static void restore(Connection connection, boolean autoCommit, boolean readOnly)
      throws SQLException {
    connection.setAutoCommit(autoCommit);
    if (readOnly) {
      connection.setReadOnly(true);
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new EnqueueOutcomeUnknownException(
          "it is unknown whether the messages were enqueued: " + e.getMessage(), e);
    }
  }

  /** A transaction that cannot be rolled back would commit when auto-commit is switched on. */
  private static void rollback(
      Connection connection, boolean autoCommit, boolean readOnly, Throwable failure) {
    try {
      connection.rollback();
      restore(connection, autoCommit, readOnly);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      try {
        connection.abort(Runnable::run);
      } catch (SQLException aborted) {
        failure.addSuppressed(aborted);
      }
    }
  }

  /** Which of the connections that Spring holds are of a transaction. */
  private static final class JdbcTransactions extends DataSourceTransactionManager {

    private static final long serialVersionUID = 1L;

    JdbcTransactions(DataSource dataSource) {
      super(dataSource);
    }

    /**
     * Returns the holder of this thread's transaction on the data source; null if there is none. In
     * a transaction of another data source, JdbcTemplate and the like bind a connection without a
     * transaction, to release it at the end: its holder is synchronized, and has no transaction.
     * Those of JPA and Hibernate are not synchronized.
     */
    @Nullable ConnectionHolder holder() {
      return TransactionSynchronizationManager.isActualTransactionActive()
              && TransactionSynchronizationManager.getResource(obtainDataSource())
                  instanceof ConnectionHolder holder
              && (isExistingTransaction(doGetTransaction())
                  || !holder.isSynchronizedWithTransaction())
          ? holder
          : null;
    }
  }
}
