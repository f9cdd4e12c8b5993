package io.rowqueue.internal.handle;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes what it is told, and holds the claims or not. */
final class Settlements implements Settler {

  final List<String> told = new ArrayList<>();
  boolean held = true;

  /** How the database refuses whatever records a failure. */
  @Nullable DatabaseUnavailableException refusal;

  @Override
  public boolean release(Claim claim, Duration delay) {
    told.add("release " + claim.id() + " " + delay);
    return held;
  }

  @Override
  public boolean cancel(Claim claim) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error) {
    refuse();
    told.add(reason.label() + " " + claim.id());
    return held;
  }

  @Override
  public void ack(Transaction transaction, Claim claim) {
    throw new AssertionError("not acked");
  }

  @Override
  public void ackAll(Transaction transaction, Collection<Claim> claims) {
    throw new AssertionError("not acked");
  }

  @Override
  public int ackAll(Collection<Claim> claims) {
    throw new AssertionError("not acked");
  }

  @Override
  public boolean retry(Claim claim, AttemptError error, Duration backoff) {
    refuse();
    told.add("retry " + claim.id());
    return held;
  }

  private void refuse() {
    if (refusal != null) {
      throw refusal;
    }
  }

  @Override
  public int releaseAll(Collection<Claim> claims) {
    throw new AssertionError("one by one");
  }
}
