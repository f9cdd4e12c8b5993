package io.rowqueue.internal.cancel;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the wishes to the {@link Transactions} that its surroundings bind. */
public final class CancelModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public CancelModule() {}

  @Provides
  @Singleton
  Cancellations cancellations(Transactions transactions) {
    return Cancellations.of(transactions);
  }
}
