package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.WorkerConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many threads a topic may have: as many as its binding says, and no more than the cluster lets
 * run here under its name. Thread-safe.
 */
final class ThreadLimits {

  private final WorkerConfig config;
  private final HandlerRegistry registry;
  private final Map<Topic, Integer> allowed = new ConcurrentHashMap<>();

  ThreadLimits(WorkerConfig config, HandlerRegistry registry) {
    this.config = config;
    this.registry = registry;
  }

  /** What its binding says, within what there is. */
  int maxThreads(Topic topic) {
    return Math.min(registry.policy(topic).maxThreads(), config.threads());
  }

  /** How many handlings may run here under just this name. */
  int mayRun(Topic name) {
    return allowed.getOrDefault(name, Integer.MAX_VALUE);
  }

  /** Lets so many run under it; true if that is more than before. */
  boolean allow(Topic name, int handlings) {
    Integer before = allowed.put(name, handlings);
    return before == null || before < handlings;
  }

  /** Lets any number run under it; true if that is more than before. */
  boolean allowAll(Topic name) {
    return allowed.remove(name) != null;
  }
}
