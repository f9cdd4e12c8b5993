package io.rowqueue.example.sweep;

/**
 * Time to look for unpaid orders; the payload of topic {@code orders.sweep}.
 *
 * @param generation the run that this is for, at least 1; ignored unless it is the one that is due
 */
public record SweepOrders(long generation) {

  /** Where these are enqueued. */
  public static final String TOPIC = "orders.sweep";
}
