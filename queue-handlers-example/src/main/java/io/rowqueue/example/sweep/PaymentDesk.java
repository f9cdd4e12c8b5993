package io.rowqueue.example.sweep;

/** Whoever takes the money: a provider on the other side of a network. Thread-safe. */
public interface PaymentDesk {

  /** What the desk knows of an order that it takes no money for any more. */
  enum Answer {
    /** The money had come. */
    PAID,
    /** It had not, and now it never will. */
    CLOSED
  }

  /**
   * Refuses any payment of {@code orderId} from now on, and tells whether one came before. To ask
   * without closing would not do: the money could come between the answer and the cancellation. The
   * same answer however often it is asked.
   *
   * @throws Exception if the desk does not answer; whether it has closed is unknown then
   */
  Answer close(String orderId) throws Exception;
}
