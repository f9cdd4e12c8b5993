package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.RetryPolicy;
import java.time.Duration;

/** The handler, for the victim and for the worker that cleans up after it. */
public final class StepModule extends AbstractModule {

  @Override
  protected void configure() {
    HandlerSettings settings =
        HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(50)));
    HandlerBinder.bind(binder(), Step.TOPIC, StepHandler.class, settings);
    HandlerBinder.bind(binder(), Step.SHARED_TOPIC, StepHandler.class, settings.withSharedCommit());
    HandlerBinder.bind(binder(), Step.BATCH_TOPIC, StepBatchHandler.class, settings);
    HandlerBinder.bind(
        binder(),
        Step.RESULT_TOPIC,
        StepResultHandler.class,
        settings.withResults(Duration.ofHours(1)));
    HandlerBinder.bind(
        binder(), Step.OUTSIDE_TOPIC, OutsideHandler.class, settings.withoutTransaction());
  }
}
