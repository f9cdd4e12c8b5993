package io.rowqueue.example.sweep;

/**
 * An order that a run has taken because nobody paid it; the payload of topic {@code order.unpaid}.
 *
 * @param orderId the shop's own id of the order
 * @param sweepId the run that took it; ignored if another has taken it since
 */
public record UnpaidOrder(String orderId, long sweepId) {

  /** Where these are enqueued. */
  public static final String TOPIC = "order.unpaid";
}
