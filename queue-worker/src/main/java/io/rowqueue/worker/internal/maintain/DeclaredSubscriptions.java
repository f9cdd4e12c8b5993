package io.rowqueue.worker.internal.maintain;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The subscriptions that this worker's modules declare. Thread-safe. */
@Singleton
public final class DeclaredSubscriptions {

  private static final Logger LOG = LoggerFactory.getLogger(DeclaredSubscriptions.class);

  private final Subscriptions subscriptions;
  private final Set<Subscription> declared;

  @Inject
  DeclaredSubscriptions(Subscriptions subscriptions, Set<Subscription> declared) {
    this.subscriptions = subscriptions;
    this.declared = Set.copyOf(declared);
  }

  /** Adds the missing ones; sends no statement if the modules declare none. */
  public void declare() {
    int added = subscriptions.declare(declared);
    if (added > 0) {
      LOG.info(
          "{} added",
          Humanize.count(
              added,
              "subscription of this worker's modules was",
              "subscriptions of this worker's modules were"));
    }
  }
}
