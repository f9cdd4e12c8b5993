package io.rowqueue.internal.order;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LowWaters;
import io.rowqueue.internal.claim.Offers;
import io.rowqueue.internal.database.Transactions;

/** Binds the lines to the {@link Transactions} that its surroundings bind. */
public final class OrderModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public OrderModule() {}

  @Provides
  @Singleton
  NextInLine nextInLine(Transactions transactions, LowWaters lowWaters, Offers offers) {
    return new NextInLine(transactions.dialect(), lowWaters, offers);
  }

  @Provides
  @Singleton
  Admission admission(Transactions transactions, NextInLine next) {
    return new JooqAdmission(transactions, next);
  }

  @Provides
  @Singleton
  LineSweep lineSweep(Transactions transactions) {
    return new JooqLineSweep(transactions);
  }
}
