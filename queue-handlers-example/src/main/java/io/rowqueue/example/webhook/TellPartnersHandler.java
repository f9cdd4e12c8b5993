package io.rowqueue.example.webhook;

import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.net.URI;
import java.util.List;
import java.util.Objects;

/**
 * Tells the partners who want to know of orders for an article; subscribed to {@code order.placed}.
 * One message an address, so that one that is down holds up no other; the host is the key by which
 * {@code topics limit webhook.post --key-in-flight} holds all workers back together.
 */
final class TellPartnersHandler implements MessageHandler<OrderPlaced> {

  static final String TOPIC = "webhook.order-placed";

  private final MessageProducer producer;

  @Inject
  TellPartnersHandler(MessageProducer producer) {
    this.producer = producer;
  }

  @Override
  public void handle(OrderPlaced order, HandlerContext context) {
    List<NewMessage> posts =
        context
            .transaction()
            .fetch("SELECT url FROM shop_partner WHERE sku = ? ORDER BY url", order.sku())
            .map(partner -> post(partner.get(0, String.class), order));
    producer.enqueueAll(context.connection(), posts);
  }

  // snippet: shop-limit-key
  private static NewMessage post(String url, OrderPlaced order) {
    String body = "{\"order\":\"" + order.orderId() + "\",\"quantity\":" + order.quantity() + "}";
    return NewMessage.of(PostWebhook.TOPIC, new PostWebhook(url, body)).withLimitKey(host(url));
  }

  // end snippet

  /** What is no address has a key of its own; its handler says so. */
  private static String host(String url) {
    try {
      return Objects.requireNonNullElse(URI.create(url).getAuthority(), url);
    } catch (IllegalArgumentException e) {
      return url;
    }
  }
}
