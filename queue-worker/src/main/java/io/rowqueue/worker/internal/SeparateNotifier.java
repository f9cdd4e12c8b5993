package io.rowqueue.worker.internal;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies over the worker's own connections, because the one that has just committed belongs to
 * the application's framework again. Thread-safe.
 */
public final class SeparateNotifier implements WorkerNotifier {

  private static final Logger LOG = LoggerFactory.getLogger(SeparateNotifier.class);

  private final WorkerNotifier notifier;
  private final WorkerPools pools;

  /** Notifies by {@code notifier}. */
  public SeparateNotifier(WorkerNotifier notifier, WorkerPools pools) {
    this.notifier = notifier;
    this.pools = pools;
  }

  @Override
  public void notifyWorkers(Map<Topic, Integer> committed) {
    notifier.notifyWorkers(committed);
  }

  @Override
  public void notifyWorkers(Map<Topic, Integer> committed, Connection returned) {
    notifier.notifyWorkers(committed);
  }

  @Override
  public void notifyResultWaiters(Set<String> waiters, Connection returned) {
    try (Connection own = pools.reads().getConnection()) {
      notifier.notifyResultWaiters(waiters, own);
    } catch (SQLException e) {
      LOG.debug("processes that await results poll for them: {}", e.getMessage());
    }
  }
}
