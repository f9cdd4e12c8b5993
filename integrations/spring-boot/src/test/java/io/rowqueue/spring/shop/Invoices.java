package io.rowqueue.spring.shop;

import io.rowqueue.spring.RowQueueHandler;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

@Profile("handlers")
// snippet: spring-handler
@Component
class Invoices {

  private final Items items;

  Invoices(Items items) {
    this.items = items;
  }

  @RowQueueHandler(value = "order.placed", attempts = 5, timeout = "30s")
  void write(OrderPlaced order) {
    items.save(new Item("invoice-" + order.name(), "invoices"));
  }
}
// end snippet
