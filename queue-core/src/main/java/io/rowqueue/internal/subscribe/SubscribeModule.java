package io.rowqueue.internal.subscribe;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;

/**
 * Binds the room of subscriptions to the {@link Transactions} that its surroundings bind; {@link
 * SubscriptionBinder} adds to it.
 */
public final class SubscribeModule extends AbstractModule {

  /** For {@code QueueCoreModule}. */
  public SubscribeModule() {}

  @Override
  protected void configure() {
    Multibinder<Subscription> unused =
        Multibinder.newSetBinder(binder(), Subscription.class).permitDuplicates();
  }

  @Provides
  @Singleton
  Subscriptions subscriptions(Transactions transactions) {
    return new JooqSubscriptions(transactions);
  }
}
