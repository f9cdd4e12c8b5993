package io.rowqueue.internal.operate;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.Ring;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;

/** Binds the operators' room to the {@link Transactions} that its surroundings bind. */
public final class OperateModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public OperateModule() {}

  @Provides
  @Singleton
  Messages messages(Transactions transactions) {
    return new JooqMessages(transactions);
  }

  @Provides
  @Singleton
  Batches batches(Transactions transactions, Ring ring) {
    return new JooqBatches(transactions.ringing(ring));
  }

  @Provides
  @Singleton
  Chains chains(Transactions transactions) {
    return new JooqChains(transactions);
  }

  @Provides
  @Singleton
  Topics topics(Transactions transactions) {
    return new JooqTopics(transactions);
  }

  @Provides
  @Singleton
  TopicSettings topicSettings(Transactions transactions) {
    return new JooqTopicSettings(transactions);
  }

  @Provides
  @Singleton
  Workers workers(Transactions transactions) {
    return new JooqWorkers(transactions);
  }
}
