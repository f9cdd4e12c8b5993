package io.rowqueue.internal.schema;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether ids have started again: after a TRUNCATE, a restore, or a change of the table by a tool
 * that loses its AUTO_INCREMENT, new messages get ids under which other tables hold dead letters,
 * attempts, payloads and results of messages before.
 */
public final class MessageIds {

  private static final Logger LOG = LoggerFactory.getLogger(MessageIds.class);

  private MessageIds() {}

  /**
   * Ids that have started again.
   *
   * @param next what the next message gets
   * @param highest what another table knows
   */
  public record Restarted(long next, long highest) {

    /** For people. */
    @Override
    public String toString() {
      return "the next message would get id %d, though other tables know ids up to %d (was queue_message truncated or restored?)"
          .formatted(next, highest);
    }
  }

  /**
   * Compares the id that the next message gets with those that other tables know.
   *
   * @return null if they are all below it
   * @throws io.rowqueue.DatabaseUnavailableException if they cannot be read
   */
  public static @Nullable Restarted find(Transactions transactions) {
    return transactions.read(dsl -> JooqMessageIds.find(dsl, transactions.dialect()));
  }

  /**
   * Where ids have started again, lets them go on above what other tables know, and says so in the
   * log. A row with the highest id comes and goes: that takes no more than a worker's privileges,
   * and reaches replicas and other nodes.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it cannot be done
   */
  public static void raise(Transactions transactions) {
    Restarted restarted = find(transactions);
    if (restarted == null) {
      return;
    }
    transactions.run(Transition.REGISTER, tx -> JooqMessageIds.raise(tx.dsl(), restarted));
    LOG.warn(
        "{}; it gets id {} now. Messages that were enqueued meanwhile keep theirs, and may meet"
            + " what is left of others",
        restarted,
        restarted.highest() + 1);
  }
}
