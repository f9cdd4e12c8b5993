package io.rowqueue.spring;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
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
          if (failure == null) {
            ofCurrentTransaction();
          }
        }
      };

  private final Map<Topic, Integer> enqueued = new HashMap<>();
  private @Nullable WorkerNotifier notifier;
  private boolean committed;

  private AfterCommit() {}

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
    notifier = workers;
    topics.forEach((topic, count) -> enqueued.merge(topic, count, Integer::sum));
  }

  @Override
  public void afterCommit() {
    committed = true;
    if (notifier != null) {
      notifier.notifyWorkers(enqueued);
    }
  }

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
