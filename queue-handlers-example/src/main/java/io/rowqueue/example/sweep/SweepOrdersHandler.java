package io.rowqueue.example.sweep;

import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one run, bounded, and enqueues the next, all in the transaction that deletes the message.
 * What it does with an order is left to a message of that order: with its own retries, on any
 * worker, and no order waits for another.
 */
final class SweepOrdersHandler implements MessageHandler<SweepOrders> {

  private static final Logger LOG = LoggerFactory.getLogger(SweepOrdersHandler.class);

  private final MessageProducer producer;
  private final SweepConfig config;

  @Inject
  SweepOrdersHandler(MessageProducer producer, SweepConfig config) {
    this.producer = producer;
    this.config = config;
  }

  @Override
  public void handle(SweepOrders sweep, HandlerContext context) {
    DSLContext transaction = context.transaction();
    long run = sweep.generation();
    if (!new SweepChain(transaction).advance(run)) {
      LOG.info("sweep {} is not the one that is due; nothing is done, and nothing follows", run);
      return;
    }
    UnpaidOrders orders = new UnpaidOrders(transaction);
    orders.freeDead(config);
    orders.take(run, config);
    List<NewMessage> messages = new ArrayList<>();
    for (String id : orders.takenBy(run)) {
      messages.add(NewMessage.of(UnpaidOrder.TOPIC, new UnpaidOrder(id, run)));
    }
    messages.add(
        NewMessage.of(SweepOrders.TOPIC, new SweepOrders(run + 1)).withDelay(config.period()));
    producer.enqueueAll(context.connection(), messages);
  }
}
