package io.rowqueue.internal.depth;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds the judge to the {@link Transactions} that its surroundings bind. */
public final class DepthModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public DepthModule() {}

  @Provides
  @Singleton
  DepthJudge depthJudge(Transactions transactions) {
    return DepthJudge.of(transactions);
  }
}
