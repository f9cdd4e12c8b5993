package io.rowqueue.internal.body;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.spi.BodyStore;
import java.util.Set;

/** Binds the worker's part of bodies to the {@link Transactions} that its surroundings bind. */
public final class BodyModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public BodyModule() {}

  /** None by default: bodies lie in the database. */
  @Override
  protected void configure() {
    Multibinder.newSetBinder(binder(), BodyStore.class);
  }

  @Provides
  @Singleton
  Bodies bodies(Transactions transactions, Set<BodyStore> stores) {
    return new JooqBodies(transactions, stores);
  }

  @Provides
  @Singleton
  StoredBodySweep storedBodySweep(Transactions transactions, Set<BodyStore> stores) {
    return StoredBodySweep.over(transactions, stores);
  }

  @Provides
  @Singleton
  BodySweep bodySweep(Transactions transactions) {
    return new JooqBodySweep(transactions);
  }
}
