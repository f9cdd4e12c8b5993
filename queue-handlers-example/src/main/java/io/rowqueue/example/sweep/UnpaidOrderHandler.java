package io.rowqueue.example.sweep;

import com.google.inject.Inject;
import io.rowqueue.Jooq;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.ShopDatabase;
import io.rowqueue.example.email.SendEmail;
import io.rowqueue.example.order.Stock;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import org.jooq.DSLContext;
import org.jooq.Record;

/**
 * Asks the desk while no transaction is open, and then settles the order in a short one: paid, or
 * cancelled with its stock given back and its customer told. May run more than once; the order's
 * sweep_id and state let one run through.
 */
final class UnpaidOrderHandler implements MessageHandler<UnpaidOrder> {

  private final PaymentDesk desk;
  private final ShopDatabase database;
  private final MessageProducer producer;

  @Inject
  UnpaidOrderHandler(PaymentDesk desk, ShopDatabase database, MessageProducer producer) {
    this.desk = desk;
    this.database = database;
    this.producer = producer;
  }

  @Override
  public void handle(UnpaidOrder order, HandlerContext context) throws Exception {
    PaymentDesk.Answer answer = desk.close(order.orderId()); // no transaction is open
    database.transaction(transaction -> settle(transaction, order, answer));
  }

  private boolean settle(DSLContext transaction, UnpaidOrder order, PaymentDesk.Answer answer) {
    UnpaidOrders orders = new UnpaidOrders(transaction);
    if (answer == PaymentDesk.Answer.PAID) {
      return orders.settle(order, "PAID");
    }
    boolean cancelled = orders.settle(order, "CANCELLED"); // false: another run holds it by now
    if (cancelled) {
      undo(transaction, order.orderId());
    }
    return cancelled;
  }

  private void undo(DSLContext transaction, String orderId) {
    Record order =
        transaction.fetchSingle(
            "SELECT email, sku, quantity FROM shop_order WHERE id = ?", orderId);
    new Stock(transaction)
        .release(order.get("sku", String.class), order.get("quantity", Integer.class));
    NewMessage mail =
        NewMessage.of(
            SendEmail.TOPIC,
            new SendEmail(
                order.get("email", String.class),
                "Order " + orderId,
                "It was not paid in time, so we have cancelled it."));
    Jooq.inTransaction(transaction, connection -> producer.enqueue(connection, mail));
  }
}
