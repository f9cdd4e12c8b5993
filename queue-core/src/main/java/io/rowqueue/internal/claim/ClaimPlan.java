package io.rowqueue.internal.claim;

import io.rowqueue.internal.database.Transactions;

/**
 * How the server would look for messages that can be claimed.
 *
 * @param key the index that it reads; empty if it reads the table
 * @param extra what it does besides, in the server's words; may be empty
 */
public record ClaimPlan(String key, String extra) {

  /** The index that a claim is to read. */
  public static final String KEY = "queue_message_claim";

  /**
   * The plan of the server that {@code transactions} reach, for any topic. Reads no message.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the server plans nothing, since the index
   *     is not there, say
   */
  public static ClaimPlan of(Transactions transactions) {
    return JooqPoll.plan(transactions);
  }

  /** Whether the index alone leads to the first messages of a topic, in order. */
  public boolean isByKey() {
    return key.equals(KEY) && !extra.contains("filesort") && !extra.contains("temporary");
  }
}
