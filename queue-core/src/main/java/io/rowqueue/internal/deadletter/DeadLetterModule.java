package io.rowqueue.internal.deadletter;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DeadLetters;

/** Binds the dead letters to the {@link Transactions} that its surroundings bind. */
public final class DeadLetterModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public DeadLetterModule() {}

  @Provides
  @Singleton
  DeadLetters deadLetters(Transactions transactions) {
    return new JooqDeadLetters(transactions);
  }

  @Provides
  @Singleton
  DeadLetterWriter deadLetterWriter(Transactions transactions) {
    return new JooqDeadLetters(transactions);
  }
}
