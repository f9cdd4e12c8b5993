package io.rowqueue.worker;

import com.google.inject.AbstractModule;

/** Binds {@link Worker} for a configuration; the handler modules go beside it. */
public final class WorkerModule extends AbstractModule {

  private final WorkerConfig config;

  /** For a worker with these settings. */
  public WorkerModule(WorkerConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    bind(WorkerConfig.class).toInstance(config);
  }
}
