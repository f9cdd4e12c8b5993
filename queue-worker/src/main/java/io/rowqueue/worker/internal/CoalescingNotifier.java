package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.worker.internal.poll.Claimer;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wakes workers for messages enqueued by this worker's handlers and by producers in its process:
 * the worker's own claimer directly, other workers when this one lacks capacity. Thread-safe.
 */
@Singleton
public final class CoalescingNotifier implements WorkerNotifier {

  private final Provider<WorkerPools> pools;
  private final Provider<WorkerTopics> topics;
  private final Provider<Claimer> claimer;
  private final Signal signal;
  private @Nullable WorkerNotifier others;

  /** Resolved at the first notification, since enqueuing handlers are created before the pools. */
  @Inject
  CoalescingNotifier(
      Provider<WorkerPools> pools,
      Provider<WorkerTopics> topics,
      Provider<Claimer> claimer,
      Signal signal) {
    this.pools = pools;
    this.topics = topics;
    this.claimer = claimer;
    this.signal = signal;
  }

  @Override
  public void notifyWorkers(Map<Topic, Integer> committed) {
    Map<Topic, Integer> left = beyondMyCapacity(committed);
    if (!left.isEmpty()) {
      others().notifyWorkers(left);
    }
  }

  @Override
  public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {
    Map<Topic, Integer> left = beyondMyCapacity(committed);
    if (!left.isEmpty()) {
      others().notifyWorkers(left, idle);
    }
  }

  /** The thread that settled takes its next message, and wakes the claimer if necessary. */
  @Override
  public void notifyAboutReleased(Map<Topic, Integer> committed, Connection idle) {
    Map<Topic, Integer> left = new HashMap<>(committed);
    left.keySet().removeIf(topic -> capacityFor(topic) > 0);
    if (!left.isEmpty()) {
      others().notifyWorkers(left, idle);
    }
  }

  @Override
  public void notifyResultWaiters(Set<String> waiters, Connection idle) {
    others().notifyResultWaiters(waiters, idle);
  }

  private int capacityFor(Topic topic) {
    return topics.get().all().contains(topic) ? claimer.get().capacityFor(topic) : 0;
  }

  private Map<Topic, Integer> beyondMyCapacity(Map<Topic, Integer> committed) {
    Map<Topic, Integer> left = new HashMap<>();
    committed.forEach(
        (topic, count) -> {
          int mine = capacityFor(topic);
          if (mine > 0) {
            signal.notifyWorkers();
          }
          if (count > mine) {
            left.put(topic, count - mine);
          }
        });
    return left;
  }

  private synchronized WorkerNotifier others() {
    WorkerNotifier notifier = others;
    if (notifier == null) {
      notifier = WorkerNotifier.over(pools.get().reads());
      others = notifier;
    }
    return notifier;
  }
}
