package io.rowqueue;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.archive.ArchiveModule;
import io.rowqueue.body.BodyModule;
import io.rowqueue.cancel.CancelModule;
import io.rowqueue.claim.ClaimModule;
import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.deadletter.DeadLetterModule;
import io.rowqueue.deduplicate.DeduplicationModule;
import io.rowqueue.depth.DepthModule;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.PublicationWatch;
import io.rowqueue.handle.HandlerBinding;
import io.rowqueue.handle.HandlerInterceptor;
import io.rowqueue.handle.UnreadableSettings;
import io.rowqueue.limit.LimitModule;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.operate.OperateModule;
import io.rowqueue.order.OrderModule;
import io.rowqueue.progress.ProgressModule;
import io.rowqueue.reap.ReapModule;
import io.rowqueue.result.ResultModule;
import io.rowqueue.schedule.ScheduleModule;
import io.rowqueue.schema.SchemaModule;
import io.rowqueue.settle.SettleModule;
import io.rowqueue.subscribe.SubscribeModule;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import java.util.Set;

/**
 * Binds every room of the core. Its surroundings bind {@link io.rowqueue.database.Transactions},
 * {@link io.rowqueue.handle.HandlerDefaults} and {@link MessageLimits}.
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
