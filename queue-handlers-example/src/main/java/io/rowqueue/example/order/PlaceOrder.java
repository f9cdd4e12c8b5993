package io.rowqueue.example.order;

/**
 * A customer wants to buy; the payload of topic {@code order.place}.
 *
 * @param orderId the shop's own id of the order, at most 64 ASCII characters
 * @param email whom to tell
 * @param sku the article
 * @param quantity how many, at least 1
 */
public record PlaceOrder(String orderId, String email, String sku, int quantity) {

  /** Where these are enqueued. */
  public static final String TOPIC = "order.place";
}
