package io.rowqueue.example.order;

/**
 * An order for more than there is; published for whoever is subscribed to {@code order.refused}.
 *
 * @param orderId the shop's own id of the order
 * @param email the customer
 */
public record OrderRefused(String orderId, String email) {

  /** The source under which these are published. */
  public static final String SOURCE = "order.refused";
}
