package io.rowqueue.internal.deduplicate;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the keys to the {@link Transactions} that its surroundings bind. */
public final class DeduplicationModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public DeduplicationModule() {}

  @Provides
  @Singleton
  DeduplicationKeys deduplicationKeys(Transactions transactions) {
    return DeduplicationKeys.of(transactions);
  }
}
