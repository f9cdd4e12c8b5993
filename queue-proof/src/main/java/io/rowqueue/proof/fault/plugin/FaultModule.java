package io.rowqueue.proof.fault.plugin;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.RetryPolicy;
import io.rowqueue.message.NewMessage;
import io.rowqueue.schedule.Missed;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.ScheduleBinder;
import io.rowqueue.seal.Sealed;
import io.rowqueue.subscribe.SubscriptionBinder;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Zstd;
import java.time.Duration;
import java.util.List;

/** Binds a topic in each way in which one can be bound. */
public final class FaultModule extends AbstractModule {

  /** No result is pruned before the audit has seen it. */
  private static final Duration LONGEST_RUN = Duration.ofDays(1);

  @Override
  protected void configure() {
    HandlerSettings settings =
        HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(100)));
    HandlerBinder.bind(binder(), Deed.ALONE, DeedHandler.class, settings);
    HandlerBinder.bind(binder(), Deed.SHARED, DeedHandler.class, settings.withSharedCommit());
    HandlerBinder.bind(binder(), Deed.BATCH, DeedBatchHandler.class, settings.withBatchSize(20));
    HandlerBinder.bind(binder(), Deed.OUTSIDE, OutsideHandler.class, settings.withoutTransaction());
    HandlerBinder.bind(binder(), Deed.ORDERED, DeedHandler.class, settings);
    HandlerBinder.bind(
        binder(), Deed.RESULT, DeedResultHandler.class, settings.withResults(LONGEST_RUN));
    List.of(Deed.HELD, Deed.LIMITED, Deed.WIDE, Deed.RATED, Deed.KEY_RATED, Deed.FLEETING)
        .forEach(topic -> HandlerBinder.bind(binder(), topic, DeedHandler.class, settings));
    HandlerBinder.bind(binder(), Deed.COUNTED, CountedDeedHandler.class, settings);
    HandlerBinder.bind(
        binder(),
        Deed.LONG,
        LongDeedHandler.class,
        settings.withTimeout(Deed.LONG_TIMEOUT).withLongestTimeout(Deed.LONGEST));
    HandlerBinder.bind(
        binder(),
        Deed.TODAY,
        TodayHandler.class,
        settings.withFormerTopics(Deed.FORMERLY).withUpcasters(DeedOfToday.upcasters()));
    sealed(settings);
    keyed(settings);
    HandlerBinder.bind(binder(), Deed.COMPLETED, CompletionHandler.class, settings);
    HandlerBinder.bind(binder(), Deed.ADDING, AddingDeedHandler.class, settings);
    HandlerBinder.bind(binder(), Deed.PART, PartHandler.class, settings.withSharedCommit());
    HandlerBinder.bind(binder(), Deed.INNER_COMPLETED, InnerCompletionHandler.class, settings);
    HandlerBinder.bind(binder(), Deed.STEP, StepHandler.class, settings);
    HandlerBinder.bind(binder(), StreamHandler.TOPIC, StreamHandler.class, settings);
    copies(settings);
    ticks(settings);
  }

  private void sealed(HandlerSettings settings) {
    WrapperBinder.allow(binder(), Zstd.reader(), Seal.in(HandlingJournal.home()));
    HandlerBinder.bind(
        binder(), Deed.SEALED, SealedDeedHandler.class, settings.withRequiredWrappers(Sealed.NAME));
  }

  private void keyed(HandlerSettings settings) {
    HandlerBinder.bind(binder(), Keyed.ALIVE, KeyedDeedHandler.class, settings);
    HandlerBinder.bind(binder(), Keyed.REFUSED, KeyedDeedHandler.class, settings);
    HandlerBinder.bind(
        binder(), Keyed.WAITING, KeyedDeedHandler.class, settings.withSharedCommit());
    HandlerBinder.bind(binder(), Keyed.REPLACED, KeyedDeedHandler.class, settings);
  }

  private void copies(HandlerSettings settings) {
    HandlerBinder.bind(binder(), Deed.COPIES.get(0), DeedHandler.class, settings);
    HandlerBinder.bind(
        binder(), Deed.COPIES.get(1), DeedHandler.class, settings.withSharedCommit());
    Deed.COPIES.forEach(topic -> SubscriptionBinder.bind(binder(), Deed.SOURCE, topic));
  }

  private void ticks(HandlerSettings settings) {
    HandlerBinder.bind(binder(), Deed.TICK, TickHandler.class, settings);
    ScheduleBinder.bind(
        binder(),
        Schedule.every(Deed.TICK, Duration.ofSeconds(1))
            .enqueues(NewMessage.of(Deed.TICK, ""))
            .whenMissed(Missed.ALL));
    HandlerBinder.bind(binder(), Deed.FIRED, FiredHandler.class, settings);
    Timetable.all().forEach(schedule -> ScheduleBinder.bind(binder(), schedule));
  }

  @Provides
  @Singleton
  HandlingJournal journal() {
    return HandlingJournal.open();
  }
}
