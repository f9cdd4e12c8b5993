package io.rowqueue.example.docs;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.order.PlaceOrder;
import java.sql.Connection;

// snippet: outbox
final class OrderOutbox {

  private final MessageProducer producer = MessageProducer.create();

  /** Enqueues in the transaction that is open on {@code connection}. */
  void placed(Connection connection, PlaceOrder order) {
    producer.enqueue(connection, NewMessage.of(PlaceOrder.TOPIC, order));
  }
}
// end snippet
