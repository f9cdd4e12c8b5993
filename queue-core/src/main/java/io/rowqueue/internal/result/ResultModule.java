package io.rowqueue.internal.result;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the worker's part of results to the {@link Transactions} that its surroundings bind. */
public final class ResultModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ResultModule() {}

  @Provides
  @Singleton
  ResultWriter resultWriter(Transactions transactions) {
    return new JooqResultWriter(transactions.dialect());
  }

  @Provides
  @Singleton
  Waiters waiters(Transactions transactions) {
    return Waiters.of(transactions);
  }

  @Provides
  @Singleton
  ResultPruning resultPruning(Transactions transactions) {
    return new JooqResultPruning(transactions);
  }
}
