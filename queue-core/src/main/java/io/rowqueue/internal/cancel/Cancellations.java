package io.rowqueue.internal.cancel;

import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;

import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import org.jooq.DSLContext;

/**
 * Brings wishes about whose messages nobody holds. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public final class Cancellations {

  private final Transactions transactions;

  public Cancellations(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Deletes a message that nobody has claimed, and the wish for it.
   *
   * @return false if somebody has claimed it, it is gone, or the wish is; nothing has changed
   */
  public boolean apply(MessageId id) {
    try {
      return transactions.run(Transition.APPLY_CANCEL, tx -> apply(tx.dsl(), id));
    } catch (WithdrawnException e) {
      return false;
    }
  }

  private static boolean apply(DSLContext dsl, MessageId id) {
    if (WaitingMessage.delete(dsl, id) == 0) {
      return false;
    }
    if (deleteCancelRequest(dsl, id) == 0) {
      throw new WithdrawnException(id);
    }
    return true;
  }

  /** Deletes a wish whose message is in the queue no more. */
  public void forget(MessageId id) {
    transactions.run(Transition.APPLY_CANCEL, tx -> deleteCancelRequest(tx.dsl(), id));
  }

  private static int deleteCancelRequest(DSLContext dsl, MessageId id) {
    return dsl.deleteFrom(QUEUE_CANCEL_REQUEST)
        .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id.value()))
        .execute();
  }

  /** It was set aside and redriven since the look: somebody wants it to run. */
  private static final class WithdrawnException extends QueueException {
    private static final long serialVersionUID = 1L;

    WithdrawnException(MessageId id) {
      super("nobody wants message %s cancelled any more".formatted(id));
    }
  }
}
