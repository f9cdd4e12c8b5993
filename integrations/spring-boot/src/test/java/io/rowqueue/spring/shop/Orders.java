package io.rowqueue.spring.shop;

import io.rowqueue.spring.QueueTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

// snippet: spring-enqueue
/** Takes orders. */
@Service
public class Orders {

  private final Items items;
  private final QueueTemplate queue;

  Orders(Items items, QueueTemplate queue) {
    this.items = items;
    this.queue = queue;
  }

  /** Both rows are committed together, or neither. */
  @Transactional
  public void place(String name) {
    items.save(new Item(name, "shop"));
    queue.enqueue("order.placed", new OrderPlaced(name));
  }
}

// end snippet
