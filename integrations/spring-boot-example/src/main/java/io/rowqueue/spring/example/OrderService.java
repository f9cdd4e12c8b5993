package io.rowqueue.spring.example;

import io.rowqueue.spring.QueueTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders. */
@Service
class OrderService {

  private final OrderRepository orders;
  private final QueueTemplate queue;

  OrderService(OrderRepository orders, QueueTemplate queue) {
    this.orders = orders;
    this.queue = queue;
  }

  /** The order and its message are committed together, or neither. */
  @Transactional
  public void place(String customer, String item) {
    Order order = orders.save(new Order(customer, item));
    queue.enqueue("order.placed", new OrderPlaced(order.getId()));
  }
}
