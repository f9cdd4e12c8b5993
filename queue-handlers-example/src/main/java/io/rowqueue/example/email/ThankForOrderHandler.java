package io.rowqueue.example.email;

import com.google.inject.Inject;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import jakarta.mail.MessagingException;

/** Thanks the customer; subscribed to {@code order.placed}. */
final class ThankForOrderHandler implements MessageHandler<OrderPlaced> {

  static final String TOPIC = "email.order-placed";

  private final Mailer mailer;

  @Inject
  ThankForOrderHandler(Mailer mailer) {
    this.mailer = mailer;
  }

  @Override
  public void handle(OrderPlaced order, HandlerContext context) throws MessagingException {
    mailer.send(
        new SendEmail(order.email(), "Order " + order.orderId(), "It is on its way."),
        context.idempotencyKey());
  }
}
