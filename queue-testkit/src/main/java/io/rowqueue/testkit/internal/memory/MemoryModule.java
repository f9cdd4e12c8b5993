package io.rowqueue.testkit.internal.memory;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.BatchProducer;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.depth.DepthSampler;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.operate.Topics;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.Set;

/**
 * Binds the components over a {@link Memory}, in place of those that send SQL. Binds {@code
 * Transactions} to the memory's connections. Components that are not replaced fail at their first
 * statement.
 */
public final class MemoryModule extends AbstractModule {

  private final Memory memory;

  /** Uses {@code memory}. */
  public MemoryModule(Memory memory) {
    this.memory = memory;
  }

  @Override
  protected void configure() {
    MemoryReaper reaper = new MemoryReaper(memory);
    bind(ClaimStrategy.class).toInstance(new MemoryStrategy(memory));
    bind(ClaimStore.class).toInstance(new MemoryClaims(memory));
    MemoryBatches batches = new MemoryBatches(memory);
    bind(Batches.class).toInstance(batches);
    bind(Chains.class).toInstance(batches.chains());
    bind(BatchProducer.class).to(MemoryBatchProducer.class);
    bind(Reaper.class).toInstance(reaper);
    bind(WorkerRegistry.class).toInstance(reaper);
    bind(Bodies.class).toInstance(memory.bodies);
    bind(BodySweep.class).toInstance(memory.bodies);
    bind(DeadLetters.class).toInstance(new MemoryDeadLetters(memory));
    bind(Messages.class).toInstance(new MemoryMessages(memory));
    bind(Admission.class).toInstance(new MemoryAdmission(memory));
    bind(Topics.class).toInstance(new MemoryTopics(memory));
    bind(Subscriptions.class).to(MemorySubscriptions.class);
    bind(MessageProducer.class).to(MemoryProducer.class);
    bind(ScheduleTrigger.class).to(MemorySchedules.class);
    bind(Schedules.class).to(MemorySchedules.class);
    bind(TopicSettingsCache.class).toInstance(new MemorySettings(memory));
    bind(DepthSampler.class).toInstance(memory.depths);
    bind(TopicSlots.class).toInstance(new MemorySlots(memory));
    bind(RateBuckets.class).toInstance(new MemoryBuckets(memory));
    bind(ResultPruning.class).toInstance(memory.results);
    bind(QueueSchema.class).toInstance(new NamedQueue());
  }

  @Provides
  @Singleton
  MemorySubscriptions subscriptions() {
    return new MemorySubscriptions(memory.rules);
  }

  @Provides
  @Singleton
  MemoryProducer producer(
      MemorySubscriptions subscriptions, MessageLimits limits, Set<Wrapping> wrappings) {
    return new MemoryProducer(
        memory, subscriptions, new Encoder(PayloadCodec.json(), Wrapping.all(wrappings), limits));
  }

  @Provides
  @Singleton
  MemoryBatchProducer batchProducer(MemoryProducer producer) {
    return new MemoryBatchProducer(memory, producer);
  }

  @Provides
  @Singleton
  ChainProducer chainProducer(MemoryProducer producer, MemoryBatchProducer batches) {
    return new MemoryChainProducer(memory, producer, batches);
  }

  /** Messages added by handlers are already transformed. */
  @Provides
  @Singleton
  Settler settler(MemoryProducer producer) {
    return new MemorySettler(memory, new MemoryBatchProducer(memory, producer.unwrapped()));
  }

  @Provides
  @Singleton
  MemorySchedules schedules(MemoryProducer producer) {
    return new MemorySchedules(memory, producer);
  }

  /** A constant name, for reproducible tests. */
  private static final class NamedQueue implements QueueSchema {

    @Override
    public void check() {}

    @Override
    public String queueName() {
      return "test";
    }
  }
}
