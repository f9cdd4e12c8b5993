package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.Ring;
import io.rowqueue.Rings;
import io.rowqueue.Topic;
import io.rowqueue.worker.internal.poll.Claimer;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker's handlers, and producers in its process, enqueue: the worker's own claimer learns
 * of it directly, and others are rung for what it has no room for. Thread-safe.
 */
@Singleton
public final class WorkerRing implements Ring {

  private final Provider<WorkerPools> pools;
  private final Provider<WorkerTopics> topics;
  private final Provider<Claimer> claimer;
  private final Signal signal;
  private @Nullable Ring others;

  /** Everything is asked for at the first ring: handlers that enqueue are made before the pools. */
  @Inject
  WorkerRing(
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
  public void ring(Map<Topic, Integer> committed) {
    Map<Topic, Integer> left = beyondMyRoom(committed);
    if (!left.isEmpty()) {
      others().ring(left);
    }
  }

  @Override
  public void ring(Map<Topic, Integer> committed, Connection idle) {
    Map<Topic, Integer> left = beyondMyRoom(committed);
    if (!left.isEmpty()) {
      others().ring(left, idle);
    }
  }

  /** The thread that has settled comes for its next message, and wakes the claimer if need be. */
  @Override
  public void ringForFreed(Map<Topic, Integer> committed, Connection idle) {
    Map<Topic, Integer> left = new HashMap<>(committed);
    left.keySet().removeIf(topic -> roomFor(topic) > 0);
    if (!left.isEmpty()) {
      others().ring(left, idle);
    }
  }

  @Override
  public void ringWaiters(Set<String> waiters, Connection idle) {
    others().ringWaiters(waiters, idle);
  }

  private int roomFor(Topic topic) {
    return topics.get().all().contains(topic) ? claimer.get().roomFor(topic) : 0;
  }

  private Map<Topic, Integer> beyondMyRoom(Map<Topic, Integer> committed) {
    Map<Topic, Integer> left = new HashMap<>();
    committed.forEach(
        (topic, count) -> {
          int mine = roomFor(topic);
          if (mine > 0) {
            signal.ring();
          }
          if (count > mine) {
            left.put(topic, count - mine);
          }
        });
    return left;
  }

  private synchronized Ring others() {
    Ring ring = others;
    if (ring == null) {
      ring = Rings.over(pools.get().looks());
      others = ring;
    }
    return ring;
  }
}
