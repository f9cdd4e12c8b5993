package io.rowqueue.internal.claim;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.internal.database.Transactions;
import org.jooq.impl.DSL;

/**
 * Binds the claim room to the {@link Transactions} that its surroundings bind; they may bind {@link
 * ClaimSettings} too.
 */
public final class ClaimModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public ClaimModule() {}

  @Provides
  @Singleton
  ClaimStore claimStore(Transactions transactions) {
    return new JooqClaimStore(transactions);
  }

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), ClaimSettings.class)
        .setDefault()
        .toInstance(ClaimSettings.defaults());
  }

  @Provides
  @Singleton
  ClaimStrategy claimStrategy(Transactions transactions, ClaimSettings settings, LowWaters marks) {
    Kind kind = settings.strategy() == null ? bestOf(transactions) : settings.strategy();
    return switch (kind) {
      case SKIP_LOCKED ->
          new JooqTransactionalStrategy(
              transactions, new JooqSkipLocked(transactions.dialect()), settings.cursor(), marks);
      case UPDATE_LIMIT ->
          new JooqTransactionalStrategy(
              transactions, new JooqUpdateLimit(), settings.cursor(), marks);
      case OPTIMISTIC ->
          new JooqTransactionalStrategy(transactions, new JooqOptimistic(), false, marks);
      case LAST_INSERT_ID ->
          new OneByOne(
              new JooqTransactionalStrategy(transactions, new JooqLastInsertId(), false, marks));
    };
  }

  /** Asks the server itself: what the driver calls its version may be a proxy's. */
  private static Kind bestOf(Transactions transactions) {
    return ClaimStrategy.bestOn(
        transactions.read(
            dsl -> dsl.select(DSL.field("VERSION()", String.class)).fetchSingle().value1()));
  }
}
