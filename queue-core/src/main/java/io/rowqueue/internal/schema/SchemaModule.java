package io.rowqueue.internal.schema;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;

/** Binds {@link QueueSchema} to the {@link Transactions} that its surroundings bind. */
public final class SchemaModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public SchemaModule() {}

  @Provides
  @Singleton
  QueueSchema schema(Transactions transactions) {
    return new JooqQueueSchema(transactions);
  }
}
