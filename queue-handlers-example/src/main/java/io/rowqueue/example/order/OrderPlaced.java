package io.rowqueue.example.order;

/**
 * An order that the shop has confirmed; published for whoever is subscribed to {@code
 * order.placed}.
 *
 * @param orderId the shop's own id of the order
 * @param email the customer
 * @param sku the article
 * @param quantity how many
 */
public record OrderPlaced(String orderId, String email, String sku, int quantity) {

  /** The source under which these are published. */
  public static final String SOURCE = "order.placed";
}
