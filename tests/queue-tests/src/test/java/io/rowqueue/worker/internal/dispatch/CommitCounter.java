package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.tests.ProbeModule;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the COMMITs that one transition of a worker takes. */
public final class CommitCounter extends ProbeModule {

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
  public void afterCommit(Transition transition) {
    if (transition == counted) {
      commits.incrementAndGet();
    }
  }
}
