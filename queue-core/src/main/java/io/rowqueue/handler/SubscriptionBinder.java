package io.rowqueue.handler;

import com.google.inject.Binder;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;

/**
 * Declares subscriptions in a Guice module, one line each:
 *
 * <pre>{@code
 * SubscriptionBinder.bind(binder(), "order.placed", "email.order-placed");
 * }</pre>
 *
 * <p>A worker with the module adds the missing ones when it starts. A subscription that is no
 * longer in the code is not removed, because a subscriber that is down must not miss messages; use
 * {@link Subscriptions#unsubscribe}.
 */
public final class SubscriptionBinder {

  private SubscriptionBinder() {}

  /** Declares that {@code topic} gets a copy of each message published under {@code source}. */
  public static void bind(Binder binder, String source, String topic) {
    Binder here = binder.skipSources(SubscriptionBinder.class);
    try {
      Multibinder.newSetBinder(here, Subscription.class)
          .permitDuplicates()
          .addBinding()
          .toInstance(Subscription.of(source, topic));
    } catch (InvalidMessageException e) {
      here.addError("cannot subscribe '%s' to '%s': %s", topic, source, e.getMessage());
    }
  }
}
