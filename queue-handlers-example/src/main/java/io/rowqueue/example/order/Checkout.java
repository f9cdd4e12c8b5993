package io.rowqueue.example.order;

import io.rowqueue.Deduplication;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Where the shop's pages hand orders in. Thread-safe. */
public final class Checkout {

  /** Longer than anybody keeps clicking, and than a browser repeats a request. */
  private static final Duration SAME_CLICK = Duration.ofHours(1);

  private final MessageProducer producer;

  /** Enqueues through {@code producer}. */
  public Checkout(MessageProducer producer) {
    this.producer = producer;
  }

  /**
   * Takes an order in the page's transaction. A double click, or a browser that sends the page
   * again, gives the same id and no second order; the orders of one customer are worked on one
   * after another.
   */
  public MessageId place(Connection connection, PlaceOrder order) {
    return producer.enqueue(connection, message(order));
  }

  private static NewMessage message(PlaceOrder order) {
    return NewMessage.of(PlaceOrder.TOPIC, order)
        .withDeduplication(Deduplication.within(order.orderId(), SAME_CLICK))
        .withOrderingKey(order.email());
  }

  /** The same for many orders, all or none; the ids stand in their order. */
  public List<MessageId> placeAll(Connection connection, Collection<PlaceOrder> orders) {
    return producer.enqueueAll(connection, orders.stream().map(Checkout::message).toList());
  }
}
