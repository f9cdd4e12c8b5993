package io.rowqueue.proof.fault.plugin;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.RetryPolicy;
import java.time.Duration;

/** Binds a topic in each way in which one can be bound. */
public final class FaultModule extends AbstractModule {

  @Override
  protected void configure() {
    HandlerSettings settings =
        HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(100)));
    HandlerBinder.bind(binder(), Deed.ALONE, DeedHandler.class, settings);
    HandlerBinder.bind(binder(), Deed.SHARED, DeedHandler.class, settings.withSharedCommit());
    HandlerBinder.bind(binder(), Deed.BATCH, DeedBatchHandler.class, settings.withBatchSize(20));
    HandlerBinder.bind(binder(), Deed.OUTSIDE, OutsideHandler.class, settings.withoutTransaction());
  }

  @Provides
  @Singleton
  HandlingJournal journal() {
    return HandlingJournal.open();
  }
}
