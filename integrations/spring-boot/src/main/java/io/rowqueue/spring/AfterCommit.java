package io.rowqueue.spring;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows whether a Spring transaction has committed, and notifies workers when it does. Spring tells
 * callbacks after the commit apart from the transaction itself by nothing else: its connection is
 * still bound, and statements on it would belong to no transaction. Confined to the transaction's
 * thread.
 */
final class AfterCommit implements TransactionSynchronization {

  /** Begins with each transaction, so that callbacks registered in it run later. */
  static final TransactionExecutionListener LISTENER =
      new TransactionExecutionListener() {
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
          AfterCommit added = failure == null ? ofCurrentTransaction() : null;
          if (added != null && added.holder == null) {
            added.holder = holder(transaction);
          }
        }
      };

  private final Map<WorkerNotifier, Map<Topic, Integer>> enqueued = new HashMap<>();
  private @Nullable ConnectionHolder holder;
  private boolean committed;

  private AfterCommit() {}

  /** Null unless it is a transaction of JDBC, JPA or Hibernate. */
  private static @Nullable ConnectionHolder holder(TransactionExecution transaction) {
    return transaction instanceof DefaultTransactionStatus status
            && status.hasTransaction()
            && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
            && jdbc.hasConnectionHolder()
        ? jdbc.getConnectionHolder()
        : null;
  }

  /**
   * Returns that of the transaction with this connection, which may be around the current one; null
   * if it has completed.
   */
  static @Nullable AfterCommit of(ConnectionHolder holder) {
    return TransactionSynchronizationManager.getResource(holder) instanceof AfterCommit outer
        ? outer
        : ofCurrentTransaction();
  }

  /** Returns that of this thread's transaction; null if there is none, or it has completed. */
  static @Nullable AfterCommit ofCurrentTransaction() {
    if (!TransactionSynchronizationManager.isSynchronizationActive()
        || !TransactionSynchronizationManager.isActualTransactionActive()) {
      return null;
    }
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof AfterCommit found) {
        return found;
      }
    }
    AfterCommit added = new AfterCommit();
    TransactionSynchronizationManager.registerSynchronization(added);
    return added;
  }

  /** Whether its transaction has committed, so that its callbacks run. */
  boolean hasCommitted() {
    return committed;
  }

  /** Notifies the workers of {@code topics} after the commit. */
  void notify(WorkerNotifier workers, Map<Topic, Integer> topics) {
    Map<Topic, Integer> all = enqueued.computeIfAbsent(workers, unused -> new HashMap<>());
    topics.forEach((topic, count) -> all.merge(topic, count, Integer::sum));
  }

  /**
   * Lets {@link #of} find it in a transaction of another data source that begins inside this one.
   */
  @Override
  public void suspend() {
    if (holder != null) {
      TransactionSynchronizationManager.bindResource(holder, this);
    }
  }

  @Override
  public void resume() {
    if (holder != null) {
      TransactionSynchronizationManager.unbindResource(holder);
    }
  }

  @Override
  public void afterCommit() {
    committed = true;
    enqueued.forEach(
        (workers, topics) ->
            io.rowqueue.internal.wakeup.AfterCommit.run(() -> workers.notifyWorkers(topics)));
  }

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
