package io.rowqueue.settle;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.archive.ArchiveWriter;
import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetterWriter;
import io.rowqueue.order.NextInLine;

/** Binds {@link Settler} to the {@link Transactions} that its surroundings bind. */
public final class SettleModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public SettleModule() {}

  @Provides
  @Singleton
  Settler settler(
      Transactions transactions,
      DeadLetterWriter deadLetters,
      ArchiveWriter archive,
      NextInLine next) {
    return new JooqSettler(transactions, deadLetters, archive, next);
  }
}
