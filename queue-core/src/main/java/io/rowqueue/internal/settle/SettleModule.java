package io.rowqueue.internal.settle;

import com.google.inject.AbstractModule;
import com.google.inject.Singleton;

/** Binds {@link Settler} to the transactions and the ring that its surroundings bind. */
public final class SettleModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public SettleModule() {}

  @Override
  protected void configure() {
    bind(Settler.class).to(JooqSettler.class).in(Singleton.class);
  }
}
