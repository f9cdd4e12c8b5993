package io.rowqueue.example.order;

import com.google.inject.Inject;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.example.email.SendEmail;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.message.NewMessage;
import org.jooq.DSLContext;

/**
 * Takes stock, writes the order and enqueues the e-mail, all in the transaction that deletes the
 * message. Too little stock is a normal answer of a shop, not a failure: the order is written as
 * refused, and the customer is told.
 */
final class OrderPlacedHandler implements MessageHandler<OrderPlaced> {

  private final MessageProducer producer;

  @Inject
  OrderPlacedHandler(MessageProducer producer) {
    this.producer = producer;
  }

  // snippet: order-handler
  @Override
  public void handle(OrderPlaced order, HandlerContext context) {
    if (order.quantity() < 1) {
      throw new PermanentFailure("order " + order.orderId() + " is for " + order.quantity());
    }
    DSLContext transaction = context.transaction();
    boolean confirmed = new Stock(transaction).take(order.sku(), order.quantity());
    String state = confirmed ? "CONFIRMED" : "REFUSED";
    transaction.execute(
        "INSERT INTO shop_order (id, email, sku, quantity, state) VALUES (?, ?, ?, ?, ?)",
        order.orderId(),
        order.email(),
        order.sku(),
        order.quantity(),
        state);
    producer.enqueue(transaction, NewMessage.of(SendEmail.TOPIC, email(order, confirmed)));
  }

  // end snippet

  private static SendEmail email(OrderPlaced order, boolean confirmed) {
    return confirmed
        ? new SendEmail(order.email(), "Order " + order.orderId(), "It is on its way.")
        : new SendEmail(order.email(), "Order " + order.orderId(), "We are out of stock, sorry.");
  }
}
