package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.WorkerConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The number of threads that a topic may use: the limit of its binding, reduced by the cluster-wide
 * limit of its name. Thread-safe.
 */
final class ThreadLimits {

  private final WorkerConfig config;
  private final HandlerRegistry registry;
  private final Map<Topic, Integer> allowed = new ConcurrentHashMap<>();

  ThreadLimits(WorkerConfig config, HandlerRegistry registry) {
    this.config = config;
    this.registry = registry;
  }

  /** Returns the binding's limit, at most the number of threads. */
  int maxThreads(Topic topic) {
    return Math.min(registry.policy(topic).maxThreads(), config.threads());
  }

  /** Returns how many attempts of exactly this name may run here. */
  int mayRun(Topic name) {
    return allowed.getOrDefault(name, Integer.MAX_VALUE);
  }

  /** Sets the limit of the name; returns whether it was raised. */
  boolean allow(Topic name, int handlings) {
    Integer before = allowed.put(name, handlings);
    return before == null || before < handlings;
  }

  /** Removes the limit of the name; returns whether it was raised. */
  boolean allowAll(Topic name) {
    return allowed.remove(name) != null;
  }
}
