package io.rowqueue.internal.progress;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the store to the {@link Transactions} that its surroundings bind. */
public final class ProgressModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ProgressModule() {}

  @Provides
  @Singleton
  ProgressStore progressStore(Transactions transactions) {
    return ProgressStore.of(transactions);
  }
}
