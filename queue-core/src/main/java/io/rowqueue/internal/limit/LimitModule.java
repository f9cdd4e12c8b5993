package io.rowqueue.internal.limit;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the limits' rows to the {@link Transactions} that its surroundings bind. */
public final class LimitModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public LimitModule() {}

  @Provides
  @Singleton
  Slots slots(Transactions transactions) {
    return Slots.of(transactions);
  }

  @Provides
  @Singleton
  RateBuckets rateBuckets(Transactions transactions) {
    return RateBuckets.of(transactions);
  }
}
