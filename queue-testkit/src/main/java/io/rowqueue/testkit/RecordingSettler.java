package io.rowqueue.testkit;

import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.util.Collection;

/** Replaces the settler that writes to the database; records the pipeline's decisions. */
final class RecordingSettler implements Settler {

  private final Stage stage;

  RecordingSettler(Stage stage) {
    this.stage = stage;
  }

  @Override
  public void ack(Transaction transaction, Claim claim) {
    checkHeld(claim);
  }

  @Override
  public void ackAll(Transaction transaction, Collection<Claim> claims) {
    claims.forEach(this::checkHeld);
  }

  private void checkHeld(Claim claim) {
    if (stage.claimsAreLost()) {
      throw new ClaimLostException(claim, "ack");
    }
  }

  @Override
  public int ackAll(Collection<Claim> claims) {
    return stage.claimsAreLost() ? 0 : claims.size();
  }

  @Override
  public boolean retry(Claim claim, AttemptError error, Duration backoff) {
    Recording.End end = stage.recording().end(claim);
    end.error = error;
    end.delay = backoff;
    return !stage.claimsAreLost();
  }

  @Override
  public boolean release(Claim claim, Duration delay) {
    stage.recording().end(claim).delay = delay;
    return !stage.claimsAreLost();
  }

  @Override
  public int releaseAll(Collection<Claim> claims) {
    return stage.claimsAreLost() ? 0 : claims.size();
  }

  @Override
  public boolean cancel(Claim claim) {
    return !stage.claimsAreLost();
  }

  @Override
  public boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error) {
    Recording.End end = stage.recording().end(claim);
    end.error = error;
    end.reason = reason;
    return !stage.claimsAreLost();
  }
}
