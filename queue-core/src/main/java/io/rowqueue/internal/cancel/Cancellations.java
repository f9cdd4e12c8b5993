package io.rowqueue.internal.cancel;

import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;

import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Applies cancellation requests for messages that no worker has claimed. Thread-safe. Every method
 * throws {@link io.rowqueue.QueueException} if the database still fails after all retries.
 */
public final class Cancellations {

  private final Transactions transactions;

  public Cancellations(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Deletes an unclaimed message and its cancellation request.
   *
   * @return false if the message was claimed, or the message or the request is gone; nothing has
   *     changed then
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

  public void forget(MessageId id) {
    transactions.run(Transition.APPLY_CANCEL, tx -> deleteCancelRequest(tx.dsl(), id));
  }

  private static int deleteCancelRequest(DSLContext dsl, MessageId id) {
    return dsl.deleteFrom(QUEUE_CANCEL_REQUEST)
        .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id.value()))
        .execute();
  }

  /** The message was dead-lettered and redriven since the poll, so an operator wants it to run. */
  private static final class WithdrawnException extends QueueException {
    WithdrawnException(MessageId id) {
      super("the cancellation request for message %s was withdrawn".formatted(id));
    }
  }

  /** A cancellation request as read by a worker's poll. */
  public record PolledCancelRequest(MessageId id, State state, int claims, String by) {

    public enum State {
      /** The worker that read the request has claimed it. */
      MINE,
      /** It is not claimed. */
      WAITS,
      /** It has left the queue. */
      GONE
    }

    /** The claim that the worker held; null if it held none. */
    public @Nullable ClaimKey claim() {
      return state == State.MINE ? new ClaimKey(id, claims) : null;
    }

    /**
     * Parses a row of the requests' query: the id, {@code gone}, {@code waits} or the claim number,
     * and the requester.
     */
    public static PolledCancelRequest of(String text) {
      String[] words = text.split(" ", 3);
      MessageId id = new MessageId(Long.parseLong(words[0]));
      return switch (words[1]) {
        case "gone" -> new PolledCancelRequest(id, State.GONE, 0, words[2]);
        case "waits" -> new PolledCancelRequest(id, State.WAITS, 0, words[2]);
        default -> new PolledCancelRequest(id, State.MINE, Integer.parseInt(words[1]), words[2]);
      };
    }
  }
}
