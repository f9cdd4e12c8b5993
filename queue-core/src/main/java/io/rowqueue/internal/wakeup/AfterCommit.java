package io.rowqueue.internal.wakeup;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction has enqueued, to be rung for once it has committed. It travels with the
 * transaction's jOOQ configuration or its connection, so that a producer finds it. Confined to the
 * transaction's thread.
 */
public final class AfterCommit {

  private static final Object KEY = AfterCommit.class;

  private final WorkerNotifier notifier;
  private final Map<Topic, Integer> enqueued = new HashMap<>();
  private final Map<Topic, Integer> released = new HashMap<>();
  private final Set<String> waiters = new LinkedHashSet<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private int depth = 1;

  /** For a transaction that has just begun. */
  public AfterCommit(WorkerNotifier notifier) {
    this.notifier = notifier;
  }

  /** The one that travels with {@code configuration}; null if nobody rings for it. */
  public static @Nullable AfterCommit of(Configuration configuration) {
    return (AfterCommit) configuration.data(KEY);
  }

  /** The one that travels with {@code connection}; null if nobody rings for it. */
  public static @Nullable AfterCommit of(Connection connection) {
    return connection instanceof Carrier carrier ? carrier.afterCommit() : null;
  }

  /** Lets it travel with {@code configuration} and whatever is derived from that. */
  public void attach(Configuration configuration) {
    configuration.data(KEY, this);
  }

  /** So many messages went to {@code topic}, if the transaction commits. */
  public void onEnqueued(Topic topic, int count) {
    enqueued.merge(topic, count, Integer::sum);
  }

  /**
   * A message of {@code topic} was waiting and may be claimed, if the transaction commits.
   *
   * @param afterCommit runs behind the COMMIT and before the ring; must be short, and not fail
   */
  public void onReleased(Topic topic, Runnable afterCommit) {
    released.merge(topic, 1, Integer::sum);
    this.afterCommit.add(afterCommit);
  }

  /** What {@code waiter} awaits is there, if the transaction commits. */
  public void onResult(String waiter) {
    waiters.add(waiter);
  }

  /** The transaction has committed. */
  public void committed() {
    afterCommit.forEach(Runnable::run);
    released.forEach(this::onEnqueued);
    if (!enqueued.isEmpty()) {
      notifier.notifyWorkers(enqueued);
    }
  }

  /** The transaction has committed on {@code connection}, which is free for the ring. */
  public void committed(Connection connection) {
    afterCommit.forEach(Runnable::run);
    if (!enqueued.isEmpty()) {
      notifier.notifyWorkers(enqueued, connection);
    }
    if (!released.isEmpty()) {
      notifier.notifyAboutReleased(released, connection);
    }
    if (!waiters.isEmpty()) {
      notifier.notifyResultWaiters(waiters, connection);
    }
  }

  void enter() {
    depth++;
  }

  /** Whether the outermost transaction has just ended. */
  boolean leave() {
    depth--;
    return depth == 0;
  }

  /** A connection that knows for which transaction it is used. */
  public interface Carrier {

    /** Null if nobody rings for it. */
    @Nullable AfterCommit afterCommit();
  }
}
