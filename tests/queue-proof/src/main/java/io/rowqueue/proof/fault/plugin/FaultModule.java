package io.rowqueue.proof.fault.plugin;

import com.google.inject.AbstractModule;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Zstd;
import java.time.Duration;
import java.util.List;

/** Binds a topic in each way in which one can be bound. */
public final class FaultModule extends AbstractModule {

  /** No result is pruned before the invariants are checked. */
  private static final Duration LONGEST_RUN = Duration.ofDays(1);

  private final HandlerSettings settings =
      HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(100)));

  /** For the service loader. */
  public FaultModule() {}

  @Override
  protected void configure() {
    bind(FaultTopics.BATCH, Handlers.Batch.class, settings.withBatchSize(20));
    bind(FaultTopics.RESULT, Handlers.Returning.class, settings.withResults(LONGEST_RUN));
    List.of(
            FaultTopics.ALONE,
            FaultTopics.ORDERED,
            FaultTopics.HELD,
            FaultTopics.LIMITED,
            FaultTopics.KEY_LIMITED,
            FaultTopics.RATED,
            FaultTopics.KEY_RATED,
            FaultTopics.FLEETING,
            FaultTopics.COPIES.get(0))
        .forEach(topic -> bind(topic, Handlers.Single.class, settings));
    bind(FaultTopics.SHARED, Handlers.Single.class, settings.withSharedCommit());
    bind(FaultTopics.COPIES.get(1), Handlers.Single.class, settings.withSharedCommit());
    FaultTopics.COPIES.forEach(
        topic -> SubscriptionBinder.bind(binder(), FaultTopics.SOURCE, topic));
    bind(FaultTopics.OUTSIDE, Handlers.Outside.class, settings.withoutTransaction());
    bind(FaultTopics.COUNTED, Handlers.Counting.class, settings);
    bind(
        FaultTopics.LONG,
        Handlers.LongRunning.class,
        settings.withTimeout(FaultTopics.LONG_TIMEOUT).withLongestTimeout(FaultTopics.LONGEST));
    bind(
        FaultTopics.UPCAST,
        Handlers.Upcast.class,
        settings.withFormerTopics(FaultTopics.FORMER).withUpcasters(Action.Version2.upcasters()));
    WrapperBinder.allow(binder(), Zstd.reader(), EncryptionKeys.in(HandlingJournal.home()));
    bind(
        FaultTopics.ENCRYPTED,
        Handlers.Encrypted.class,
        settings.withRequiredWrappers(Sealed.NAME));
    FaultTopics.KEYED.forEach(
        topic ->
            bind(
                topic,
                Handlers.Keyed.class,
                topic.equals(FaultTopics.KEYED_WAITING) ? settings.withSharedCommit() : settings));
    features();
  }

  private void features() {
    bind(FaultTopics.STREAMED, FeatureHandlers.Streamed.class, settings);
    bind(FaultTopics.COMPLETED, FeatureHandlers.Completion.class, settings);
    bind(FaultTopics.ADDING, FeatureHandlers.Adding.class, settings);
    bind(FaultTopics.PART, FeatureHandlers.PartDone.class, settings.withSharedCommit());
    bind(FaultTopics.NESTED_COMPLETED, FeatureHandlers.NestedCompletion.class, settings);
    bind(FaultTopics.STEP, FeatureHandlers.ChainStep.class, settings);
    bind(FaultTopics.TICK, FeatureHandlers.Tick.class, settings);
    bind(FaultTopics.SCHEDULED, FeatureHandlers.Scheduled.class, settings);
    ScheduleBinder.bind(
        binder(),
        Schedule.every(FaultTopics.TICK, Duration.ofSeconds(1))
            .enqueues(NewMessage.of(FaultTopics.TICK, ""))
            .onMisfire(MisfirePolicy.ALL));
    Timetable.all().forEach(schedule -> ScheduleBinder.bind(binder(), schedule));
  }

  private void bind(String topic, Class<? extends Handler<?>> handler, HandlerSettings chosen) {
    HandlerBinder.bind(binder(), topic, handler, chosen);
  }
}
