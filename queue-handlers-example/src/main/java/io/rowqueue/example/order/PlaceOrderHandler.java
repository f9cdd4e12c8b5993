package io.rowqueue.example.order;

import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import org.jooq.DSLContext;

/**
 * Takes stock, writes the order and tells whoever is subscribed, all in the transaction that
 * deletes the message. Too little stock is a normal answer of a shop, not a failure: the order is
 * written as refused.
 */
final class PlaceOrderHandler implements MessageHandler<PlaceOrder> {

  private final MessageProducer producer;

  @Inject
  PlaceOrderHandler(MessageProducer producer) {
    this.producer = producer;
  }

  @Override
  public void handle(PlaceOrder order, HandlerContext context) {
    if (order.quantity() < 1) {
      throw new PermanentFailure("order " + order.orderId() + " is for " + order.quantity());
    }
    DSLContext transaction = context.transaction();
    if (new Stock(transaction).take(order.sku(), order.quantity())) {
      write(transaction, order, "CONFIRMED");
      producer.publish(context.connection(), NewMessage.of(OrderPlaced.SOURCE, placed(order)));
    } else {
      write(transaction, order, "REFUSED");
      producer.publish(context.connection(), NewMessage.of(OrderRefused.SOURCE, refused(order)));
    }
  }

  private static void write(DSLContext transaction, PlaceOrder order, String state) {
    transaction.execute(
        "INSERT INTO shop_order (id, email, sku, quantity, state) VALUES (?, ?, ?, ?, ?)",
        order.orderId(),
        order.email(),
        order.sku(),
        order.quantity(),
        state);
  }

  private static OrderPlaced placed(PlaceOrder order) {
    return new OrderPlaced(order.orderId(), order.email(), order.sku(), order.quantity());
  }

  private static OrderRefused refused(PlaceOrder order) {
    return new OrderRefused(order.orderId(), order.email());
  }
}
