package io.rowqueue;

import com.google.inject.AbstractModule;
import com.google.inject.Provider;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.MapBinder;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.archive.ArchiveWriter;
import io.rowqueue.internal.archive.JooqArchive;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.body.JooqBodies;
import io.rowqueue.internal.body.JooqBodySweep;
import io.rowqueue.internal.body.StoredBodySweep;
import io.rowqueue.internal.cancel.Cancellations;
import io.rowqueue.internal.claim.ClaimCursors;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.JooqClaimStore;
import io.rowqueue.internal.claim.JooqLastInsertId;
import io.rowqueue.internal.claim.JooqOptimistic;
import io.rowqueue.internal.claim.JooqSkipLocked;
import io.rowqueue.internal.claim.JooqTransactionalStrategy;
import io.rowqueue.internal.claim.JooqUpdateLimit;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.claim.SequentialClaims;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.deduplicate.DeduplicationKeys;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.enqueue.JdbcMessageProducer;
import io.rowqueue.internal.enqueue.PublicationListener;
import io.rowqueue.internal.enqueue.ReportingProducer;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.internal.operate.JooqTopicSettingsCache;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.internal.order.JooqAdmission;
import io.rowqueue.internal.order.OrderingRelease;
import io.rowqueue.internal.progress.ProgressStore;
import io.rowqueue.internal.reap.JooqReaper;
import io.rowqueue.internal.reap.JooqWorkerRegistry;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.result.JooqResultPruning;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.internal.result.ResultWaiters;
import io.rowqueue.internal.result.ResultWriter;
import io.rowqueue.internal.schedule.JooqScheduleTrigger;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.internal.schema.JooqQueueSchema;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.JooqSettler;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.Archive;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.Set;
import java.util.function.Function;
import org.jooq.impl.DSL;

/**
 * Binds everything in the core. Other modules bind {@link
 * io.rowqueue.internal.database.Transactions}, {@link io.rowqueue.handler.HandlerDefaults} and
 * {@link MessageLimits}.
 */
public final class QueueCoreModule extends AbstractModule {

  /** Creates the module; the worker's module and tests install it. */
  public QueueCoreModule() {}

  @Override
  protected void configure() {
    Multibinder.newSetBinder(binder(), BodyStore.class);
    byDefault(ClaimSettings.class, ClaimSettings.defaults());
    MapBinder.newMapBinder(binder(), String.class, Schedule.class);
    bind(ShardedCounter.class).toInstance(ShardedCounter.create());
    bind(Settler.class).to(JooqSettler.class).in(Singleton.class);
    var unused = Multibinder.newSetBinder(binder(), Subscription.class).permitDuplicates();
    Multibinder.newSetBinder(binder(), HandlerBinding.class);
    Multibinder.newSetBinder(binder(), HandlerInterceptor.class);
    WrapperBinder.allowed(binder());
    WrapperBinder.wrappings(binder());
    byDefault(UnreadableSettings.class, UnreadableSettings.defaults());
    byDefault(PayloadCodec.class, PayloadCodec.json());
    byDefault(TransactionProbe.class, TransactionProbe.NONE);
    byDefault(PublicationListener.class, PublicationListener.NONE);
    byDefault(WorkerNotifier.class, WorkerNotifier.SILENT);
    with(Archive.class, JooqArchive::new);
    with(BodySweep.class, JooqBodySweep::new);
    with(Cancellations.class, Cancellations::new);
    with(Chains.class, JooqChains::new);
    with(ClaimStore.class, JooqClaimStore::new);
    with(DeduplicationKeys.class, DeduplicationKeys::new);
    with(DepthSampler.class, DepthSampler::of);
    with(GroupSweep.class, GroupSweep::new);
    with(JooqDeadLetters.class, JooqDeadLetters::new);
    with(Messages.class, JooqMessages::new);
    with(ProgressStore.class, ProgressStore::new);
    with(QueueSchema.class, JooqQueueSchema::new);
    with(ResultWriter.class, transactions -> new ResultWriter(transactions.dialect()));
    with(RateBuckets.class, RateBuckets::of);
    with(ResultPruning.class, JooqResultPruning::new);
    with(ResultWaiters.class, ResultWaiters::new);
    with(Subscriptions.class, JooqSubscriptions::new);
    with(Statistics.class, Statistics::new);
    with(JooqAudit.class, JooqAudit::new);
    with(TopicSettingsCache.class, JooqTopicSettingsCache::new);
    with(TopicSlots.class, TopicSlots::of);
    with(Topics.class, JooqTopics::new);
    with(WorkerRegistry.class, JooqWorkerRegistry::new);
    with(Workers.class, JooqWorkers::new);
    bind(DeadLetters.class).to(JooqDeadLetters.class);
  }

  private <T> void byDefault(Class<T> type, T value) {
    OptionalBinder.newOptionalBinder(binder(), type).setDefault().toInstance(value);
  }

  private <T> void with(Class<T> type, Function<Transactions, ? extends T> constructor) {
    Provider<Transactions> transactions = getProvider(Transactions.class);
    bind(type).toProvider(() -> constructor.apply(transactions.get())).in(Singleton.class);
  }

  @Provides
  @Singleton
  Encoder encoder(PayloadCodec codec, MessageLimits limits, Set<Wrapping> wrappings) {
    return new Encoder(codec, Wrapping.all(wrappings), limits);
  }

  @Provides
  @Singleton
  MessageProducer producer(Encoder encoder, WorkerNotifier notifier, PublicationListener watch) {
    MessageProducer producer = new JdbcMessageProducer(encoder, notifier);
    return watch == PublicationListener.NONE ? producer : new ReportingProducer(producer, watch);
  }

  @Provides
  @Singleton
  BatchProducer batchProducer(MessageProducer producer, WorkerNotifier notifier) {
    return BatchProducer.over(producer).notifying(notifier);
  }

  @Provides
  @Singleton
  ChainProducer chainProducer(MessageProducer producer, WorkerNotifier notifier) {
    return ChainProducer.over(producer).notifying(notifier);
  }

  @Provides
  @Singleton
  ArchiveWriter archiveWriter(Transactions transactions, TopicSettingsCache settings) {
    return new ArchiveWriter(transactions.dialect(), settings);
  }

  @Provides
  @Singleton
  Bodies bodies(Transactions transactions, Set<BodyStore> stores) {
    return new JooqBodies(transactions, stores);
  }

  @Provides
  @Singleton
  StoredBodySweep storedBodySweep(Transactions transactions, Set<BodyStore> stores) {
    return new StoredBodySweep(transactions, stores);
  }

  @Provides
  @Singleton
  ClaimStrategy claimStrategy(
      Transactions transactions, ClaimSettings settings, ClaimCursors marks) {
    Kind kind = settings.strategy() == null ? bestOf(transactions) : settings.strategy();
    return switch (kind) {
      case SKIP_LOCKED ->
          new JooqTransactionalStrategy(
              transactions, new JooqSkipLocked(transactions.dialect()), settings.cursor(), marks);
      case UPDATE_LIMIT ->
          new JooqTransactionalStrategy(
              transactions, new JooqUpdateLimit(), settings.cursor(), marks);
      case OPTIMISTIC ->
          new JooqTransactionalStrategy(transactions, new JooqOptimistic(), false, marks);
      case LAST_INSERT_ID ->
          new SequentialClaims(
              new JooqTransactionalStrategy(transactions, new JooqLastInsertId(), false, marks));
    };
  }

  @Provides
  @Singleton
  Batches batches(Transactions transactions, WorkerNotifier notifier) {
    return new JooqBatches(transactions.ringing(notifier));
  }

  @Provides
  @Singleton
  OrderingRelease orderingRelease(
      Transactions transactions, ClaimCursors claimCursors, ReleasedCandidates offers) {
    return new OrderingRelease(transactions.dialect(), claimCursors, offers);
  }

  @Provides
  @Singleton
  Admission admission(Transactions transactions, OrderingRelease next) {
    return new JooqAdmission(transactions, next);
  }

  @Provides
  @Singleton
  Reaper reaper(Transactions transactions, JooqDeadLetters deadLetters) {
    return new JooqReaper(transactions, deadLetters);
  }

  @Provides
  @Singleton
  Schedules schedules(Transactions transactions, Encoder encoder, WorkerNotifier notifier) {
    return new JooqSchedules(transactions.ringing(notifier), encoder);
  }

  @Provides
  @Singleton
  ScheduleTrigger scheduleTrigger(
      Transactions transactions, MessageLimits limits, WorkerNotifier notifier) {
    return new JooqScheduleTrigger(transactions.ringing(notifier), limits);
  }

  /** Queries the server itself, because the version that the driver reports may be a proxy's. */
  private static Kind bestOf(Transactions transactions) {
    return ClaimStrategy.bestOn(
        transactions.read(
            dsl -> dsl.select(DSL.field("VERSION()", String.class)).fetchSingle().value1()));
  }
}
