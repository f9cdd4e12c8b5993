package io.rowqueue.example.loyalty;

import com.google.inject.Inject;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;

/** Credits a point for each piece; subscribed to {@code order.placed}. */
final class CreditPointsHandler implements MessageHandler<OrderPlaced> {

  static final String TOPIC = "loyalty.credit";

  @Inject
  CreditPointsHandler() {}

  @Override
  public void handle(OrderPlaced order, HandlerContext context) {
    context
        .transaction()
        .execute(
            "INSERT INTO shop_customer (email, points) VALUES (?, ?)"
                + " ON DUPLICATE KEY UPDATE points = points + VALUES(points)",
            order.email(),
            order.quantity());
  }
}
