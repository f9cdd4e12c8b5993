package io.rowqueue;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.archive.ArchiveModule;
import io.rowqueue.internal.body.BodyModule;
import io.rowqueue.internal.cancel.CancelModule;
import io.rowqueue.internal.claim.ClaimModule;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.deadletter.DeadLetterModule;
import io.rowqueue.internal.deduplicate.DeduplicationModule;
import io.rowqueue.internal.depth.DepthModule;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.limit.LimitModule;
import io.rowqueue.internal.operate.OperateModule;
import io.rowqueue.internal.order.OrderModule;
import io.rowqueue.internal.progress.ProgressModule;
import io.rowqueue.internal.reap.ReapModule;
import io.rowqueue.internal.result.ResultModule;
import io.rowqueue.internal.schedule.ScheduleModule;
import io.rowqueue.internal.schema.SchemaModule;
import io.rowqueue.internal.settle.SettleModule;
import io.rowqueue.internal.subscribe.SubscribeModule;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.Set;

/**
 * Binds every room of the core. Its surroundings bind {@link
 * io.rowqueue.internal.database.Transactions}, {@link io.rowqueue.handler.HandlerDefaults} and
 * {@link MessageLimits}.
 */
public final class QueueCoreModule extends AbstractModule {

  /** For the worker's module and for tests. */
  public QueueCoreModule() {}

  @Override
  protected void configure() {
    install(new CancelModule());
    install(new BodyModule());
    install(new ClaimModule());
    install(new SettleModule());
    install(new ReapModule());
    install(new DeadLetterModule());
    install(new OperateModule());
    install(new OrderModule());
    install(new LimitModule());
    install(new DepthModule());
    install(new ProgressModule());
    install(new ArchiveModule());
    install(new DeduplicationModule());
    install(new ScheduleModule());
    install(new SubscribeModule());
    install(new ResultModule());
    install(new SchemaModule());
    Multibinder.newSetBinder(binder(), HandlerBinding.class);
    Multibinder.newSetBinder(binder(), HandlerInterceptor.class);
    WrapperBinder.allowed(binder());
    WrapperBinder.wrappings(binder());
    OptionalBinder.newOptionalBinder(binder(), UnreadableSettings.class)
        .setDefault()
        .toInstance(UnreadableSettings.defaults());
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setDefault()
        .toInstance(TransactionProbe.NONE);
    OptionalBinder.newOptionalBinder(binder(), PublicationWatch.class)
        .setDefault()
        .toInstance(PublicationWatch.NONE);
    OptionalBinder.newOptionalBinder(binder(), Ring.class).setDefault().toInstance(Ring.SILENT);
  }

  @Provides
  @Singleton
  MessageProducer producer(
      MessageLimits limits, Ring ring, Set<Wrapping> wrappings, PublicationWatch watch) {
    MessageProducer producer =
        MessageProducer.create(PayloadCodec.json(), limits)
            .ringing(ring)
            .wrapping(Wrapping.all(wrappings));
    return watch == PublicationWatch.NONE ? producer : producer.watched(watch);
  }

  @Provides
  @Singleton
  BatchProducer batchProducer(MessageProducer producer, Ring ring) {
    return BatchProducer.over(producer).ringing(ring);
  }

  @Provides
  @Singleton
  ChainProducer chainProducer(MessageProducer producer, Ring ring) {
    return ChainProducer.over(producer).ringing(ring);
  }

  @Provides
  @Singleton
  SlottedCounter counter() {
    return SlottedCounter.create();
  }
}
