package io.rowqueue.proof.crash.victim;

import com.google.inject.AbstractModule;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.RetryPolicy;
import java.time.Duration;

/** The handler, for the victim and for the worker that cleans up after it. */
public final class StepModule extends AbstractModule {

  @Override
  protected void configure() {
    HandlerBinder.bind(
        binder(),
        Step.TOPIC,
        StepHandler.class,
        HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(50))));
  }
}
