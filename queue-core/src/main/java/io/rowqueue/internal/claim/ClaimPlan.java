package io.rowqueue.internal.claim;

import io.rowqueue.internal.database.Transactions;

/**
 * The server's plan for finding claimable messages.
 *
 * @param key the index that it reads; empty if it reads the table
 * @param extra the server's additional remarks; may be empty
 */
public record ClaimPlan(String key, String extra) {

  /** The index that a claim must read. */
  public static final String KEY = "queue_message_claim";

  /**
   * The plan of the server that {@code transactions} reach, for any topic. Reads no message.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the server cannot plan the statement, for
   *     example without the index
   */
  public static ClaimPlan of(Transactions transactions) {
    return JooqPoll.plan(transactions);
  }

  /** Whether the index alone leads to the first messages of a topic, in order. */
  public boolean isByKey() {
    return key.equals(KEY) && !extra.contains("filesort") && !extra.contains("temporary");
  }
}
