package io.rowqueue.internal.settle;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;

/**
 * Ends claims: ack, retry, release or dead-letter. Thread-safe. Each call is fenced by the claim's
 * lock_id and number. A boolean result says whether this call ended the claim; false means that the
 * claim was lost, or that an earlier call with an unknown outcome had ended it. Methods that run
 * their own transaction throw {@link io.rowqueue.QueueException} if the database still fails after
 * all retries.
 */
public interface Settler {

  /**
   * Deletes the message in the handler's {@code transaction}, which the caller commits.
   *
   * @throws io.rowqueue.handler.ClaimLostException if the claim is no longer held; the caller rolls
   *     back
   */
  void ack(Transaction transaction, Claim claim) throws SQLException;

  /**
   * Deletes the messages of a batch in the handler's {@code transaction}, which the caller commits.
   *
   * @throws io.rowqueue.handler.ClaimLostException if any of the claims is no longer held; the
   *     caller rolls back
   */
  void ackAll(Transaction transaction, Collection<Claim> claims) throws SQLException;

  /**
   * Deletes messages whose handlers wrote nothing to this database, all in one transaction.
   *
   * @return how many were deleted by this call; if fewer than given, the others were lost, or that
   *     an earlier call with an unknown outcome had deleted them
   */
  int ackAll(Collection<Claim> claims);

  /**
   * Counts a failed attempt, stores its error and schedules the next attempt.
   *
   * @param backoff how long from now, by the database's clock; not negative
   */
  boolean retry(Claim claim, AttemptError error, Duration backoff);

  /**
   * Releases the message without counting an attempt.
   *
   * @param delay how long it waits, by the database's clock; zero makes it available at once
   */
  boolean release(Claim claim, Duration delay);

  /**
   * Releases all of {@code claims} at once without counting an attempt.
   *
   * @return how many were still held
   */
  int releaseAll(Collection<Claim> claims);

  /** Deletes the message with its failed attempts and its cancellation request. */
  boolean cancel(Claim claim);

  /**
   * Dead-letters the message after a failed attempt, which is counted and stored with the earlier
   * ones.
   */
  boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error);
}
