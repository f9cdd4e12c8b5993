package io.rowqueue.worker.dispatch;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transition;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the COMMITs that one transition of a worker takes. */
public final class CommitCounter extends AbstractModule implements TransactionProbe {

  private final AtomicInteger commits = new AtomicInteger();
  private final Transition counted;

  public CommitCounter(Transition counted) {
    this.counted = counted;
  }

  public static CommitCounter ofAcks() {
    return new CommitCounter(Transition.ACK);
  }

  public int count() {
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
    if (transition == counted) {
      commits.incrementAndGet();
    }
  }
}
