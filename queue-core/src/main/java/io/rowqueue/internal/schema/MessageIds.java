package io.rowqueue.internal.schema;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects ids that have started again. After a TRUNCATE, a restore, or a change of the table by a
 * tool that loses its AUTO_INCREMENT, new messages get ids for which other tables contain dead
 * letters, attempts, payloads and results of earlier messages.
 */
public final class MessageIds {

  private static final Logger LOG = LoggerFactory.getLogger(MessageIds.class);

  private MessageIds() {}

  /**
   * Ids that have started again.
   *
   * @param next the id of the next message
   * @param highest the highest id in another table
   */
  public record Restarted(long next, long highest) {

    /** For log messages. */
    @Override
    public String toString() {
      return "the next message would get id %d, although other tables contain ids up to %d (was queue_message truncated or restored?)"
          .formatted(next, highest);
    }
  }

  /**
   * Compares the id of the next message with the ids in other tables.
   *
   * @return null if they are all below it
   * @throws io.rowqueue.DatabaseUnavailableException if they cannot be read
   */
  public static @Nullable Restarted find(Transactions transactions) {
    return transactions.read(dsl -> JooqMessageIds.find(dsl, transactions.dialect()));
  }

  /**
   * If ids have started again, raises the next id above those in other tables, and logs it. It
   * inserts and deletes a row with the highest id: that needs only a worker's privileges, and is
   * replicated to other nodes.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it fails
   */
  public static void raise(Transactions transactions) {
    Restarted restarted = find(transactions);
    if (restarted == null) {
      return;
    }
    transactions.run(Transition.REGISTER, tx -> JooqMessageIds.raise(tx.dsl(), restarted));
    LOG.warn(
        "{}; it now gets id {}. Messages that were enqueued in between keep their ids, and may be"
            + " mixed up with rows of earlier messages",
        restarted,
        restarted.highest() + 1);
  }
}
