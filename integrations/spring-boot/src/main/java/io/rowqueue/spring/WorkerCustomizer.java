package io.rowqueue.spring;

import io.rowqueue.worker.WorkerBuilder;

/** A bean that changes the application's worker before it is built, after the properties. */
@FunctionalInterface
public interface WorkerCustomizer {

  /** Changes {@code builder}. */
  void customize(WorkerBuilder builder);
}
