package io.rowqueue.proof;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transition;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the COMMITs that a worker's acks take. */
final class AckCounter extends AbstractModule implements TransactionProbe {

  private final AtomicInteger commits = new AtomicInteger();

  int count() {
    return commits.get();
  }

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setBinding()
        .toInstance(this);
  }

  @Override
  public void afterCommit(Transition transition) {
    if (transition == Transition.ACK) {
      commits.incrementAndGet();
    }
  }
}
