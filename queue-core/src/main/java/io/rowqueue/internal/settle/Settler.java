package io.rowqueue.internal.settle;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;

/**
 * Ends claims: ack, retry, release or dead-letter. Thread-safe. Each is fenced by the claim's
 * lock_id and number; a boolean result says whether this call ended the claim, and false means that
 * it was lost, or that an earlier call with an unknown outcome had ended it. Those that run their
 * own transaction throw {@link io.rowqueue.QueueException} if the database fails after every
 * repetition.
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
   * @return how many were deleted by this call; fewer than given means that the others were lost,
   *     or that an earlier call with an unknown outcome had deleted them
   */
  int ackAll(Collection<Claim> claims);

  /**
   * Counts a failed attempt, keeps its error and schedules the next.
   *
   * @param backoff how long from now, by the database's clock; not negative
   */
  boolean retry(Claim claim, AttemptError error, Duration backoff);

  /**
   * Gives the message back without counting an attempt.
   *
   * @param delay how long it waits, by the database's clock; zero makes it available at once
   */
  boolean release(Claim claim, Duration delay);

  /**
   * Gives all of {@code claims} back at once without counting an attempt.
   *
   * @return how many were still held
   */
  int releaseAll(Collection<Claim> claims);

  /** Deletes the message with its failed attempts, and the wish that it be cancelled. */
  boolean cancel(Claim claim);

  /** Sets the message aside after a failed attempt, which is counted and kept with the others. */
  boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error);
}
