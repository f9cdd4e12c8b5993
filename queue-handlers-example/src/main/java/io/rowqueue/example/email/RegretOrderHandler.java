package io.rowqueue.example.email;

import com.google.inject.Inject;
import io.rowqueue.example.order.OrderRefused;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import jakarta.mail.MessagingException;

/** Tells the customer that there is too little; subscribed to {@code order.refused}. */
final class RegretOrderHandler implements MessageHandler<OrderRefused> {

  static final String TOPIC = "email.order-refused";

  private final Mailer mailer;

  @Inject
  RegretOrderHandler(Mailer mailer) {
    this.mailer = mailer;
  }

  @Override
  public void handle(OrderRefused order, HandlerContext context) throws MessagingException {
    mailer.send(
        new SendEmail(order.email(), "Order " + order.orderId(), "We are out of stock, sorry."),
        context.idempotencyKey());
  }
}
