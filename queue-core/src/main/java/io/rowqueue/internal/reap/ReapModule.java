package io.rowqueue.internal.reap;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.DeadLetterWriter;

/** Binds the registry and the reaper to the {@link Transactions} that its surroundings bind. */
public final class ReapModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ReapModule() {}

  @Provides
  @Singleton
  WorkerRegistry registry(Transactions transactions) {
    return new JooqWorkerRegistry(transactions);
  }

  @Provides
  @Singleton
  Reaper reaper(Transactions transactions, DeadLetterWriter deadLetters) {
    return new JooqReaper(transactions, deadLetters);
  }
}
