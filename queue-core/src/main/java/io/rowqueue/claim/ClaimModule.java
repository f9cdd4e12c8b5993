package io.rowqueue.claim;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.database.Transactions;

/** Binds the claim room to the {@link Transactions} that its surroundings bind. */
public final class ClaimModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ClaimModule() {}

  @Provides
  @Singleton
  ClaimStore claimStore(Transactions transactions) {
    return new JooqClaimStore(transactions);
  }

  @Provides
  @Singleton
  ClaimStrategy claimStrategy(Transactions transactions) {
    return new JooqSkipLocked(transactions);
  }
}
