package io.rowqueue.spring.example;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.spring.QueueTemplate;
import io.rowqueue.spring.RowQueueHandler;
import org.springframework.stereotype.Component;

/** Handlers: what they write and enqueue is committed with the end of their message. */
@Component
class InvoiceHandlers {

  private final OrderRepository orders;
  private final InvoiceRepository invoices;
  private final QueueTemplate queue;

  InvoiceHandlers(OrderRepository orders, InvoiceRepository invoices, QueueTemplate queue) {
    this.orders = orders;
    this.invoices = invoices;
    this.queue = queue;
  }

  @RowQueueHandler("order.placed")
  void write(OrderPlaced placed) {
    invoices.save(new Invoice(orders.findById(placed.orderId()).orElseThrow()));
    queue.enqueue("invoice.mail", placed);
  }

  /** Fails twice, so that the log shows retries. */
  @RowQueueHandler(value = "invoice.mail", attempts = 5, backoff = "1s")
  void mail(OrderPlaced placed, HandlerContext context) {
    Invoice invoice = invoices.findById(placed.orderId()).orElseThrow();
    invoice.mailed(context.attempt());
    invoices.save(invoice);
    if (context.attempt() <= 2) {
      throw new IllegalStateException("the mail server is down");
    }
  }
}
