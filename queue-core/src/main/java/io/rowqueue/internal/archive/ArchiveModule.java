package io.rowqueue.internal.archive;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.TopicSettings;
import io.rowqueue.operate.Archive;

/** Binds the archive to the {@link Transactions} that its surroundings bind. */
public final class ArchiveModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ArchiveModule() {}

  @Provides
  @Singleton
  Archive archive(Transactions transactions) {
    return new JooqArchive(transactions);
  }

  @Provides
  @Singleton
  ArchiveWriter archiveWriter(Transactions transactions, TopicSettings settings) {
    return new JooqArchiveWriter(transactions.dialect(), settings);
  }
}
