package io.rowqueue.spring.shop;

import io.rowqueue.PayloadVersion;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.spring.QueueTemplate;
import io.rowqueue.spring.RowQueueHandler;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The handlers of an application, in each form. */
@Configuration
@Profile("handlers")
class OrderHandlers {

  /** On a class. */
  @Component
  @Profile("handlers")
  @RowQueueHandler(value = "order", attempts = 2, backoff = "${order.backoff:10ms}")
  static class OrderHandler implements MessageHandler<Order> {

    private static final CyclicBarrier HALT =
        new CyclicBarrier(Writer.Way.values().length, () -> Runtime.getRuntime().halt(9));

    private final Writer writer;
    private final QueueTemplate queue;

    OrderHandler(Writer writer, QueueTemplate queue) {
      this.writer = writer;
      this.queue = queue;
    }

    @Override
    public void handle(Order order, HandlerContext context) {
      writer.write(order.way(), order.name());
      switch (order.then()) {
        case RETURN -> {}
        case THROW -> throw new IllegalStateException("never");
        case SET_ROLLBACK_ONLY ->
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        case CATCH_A_SERVICE -> {
          try {
            writer.fail();
          } catch (IllegalStateException e) {
            // Its proxy has marked the transaction.
          }
        }
        case WRITE_APART_AND_THROW -> {
          writer.writeApart(order.way(), order.name() + "-apart-" + context.attempt());
          throw new IllegalStateException("never");
        }
        case FAIL_AFTER_COMMIT ->
            register(
                () -> {
                  throw new IllegalStateException("a callback failed");
                },
                false);
        case ENQUEUE -> queue.enqueue("mail", order.name());
        case HALT_BEFORE_COMMIT -> register(OrderHandler::haltTogether, true);
        case HALT_AFTER_COMMIT -> register(OrderHandler::haltTogether, false);
      }
    }

    /** Only in a process that is started to halt, and when a message of each way is there. */
    private static void haltTogether() {
      if (Boolean.getBoolean("rowqueue.test.halts")) {
        try {
          HALT.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    private static void register(Runnable action, boolean before) {
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCompletion() {
              if (before) {
                action.run();
              }
            }

            @Override
            public void afterCommit() {
              if (!before) {
                action.run();
              }
            }
          });
    }
  }

  /** On methods of a bean with a proxy. */
  @Component
  @Profile("handlers")
  static class Mails {

    private final Writer writer;
    private final Items items;
    private final ApplicationEventPublisher events;

    Mails(Writer writer, Items items, ApplicationEventPublisher events) {
      this.writer = writer;
      this.items = items;
      this.events = events;
    }

    @RowQueueHandler("mail")
    @org.springframework.transaction.annotation.Transactional
    void send(String name, HandlerContext context) {
      writer.write(Writer.Way.JPA, "mail-" + name + "-" + context.attempt());
    }

    @RowQueueHandler("lazy")
    void readLazily(String name) {
      Item proxy = items.getReferenceById(name);
      writer.write(Writer.Way.JPA, "read-" + proxy.writer());
      events.publishEvent(new ShopApplication.Placed("bulk"));
    }

    @RowQueueHandler("parcel")
    void parcel(Parcel parcel) {
      writer.write(Writer.Way.JPA, parcel.name());
    }

    @RowQueueHandler("thread")
    void thread(String name) {
      writer.write(Writer.Way.JPA, Thread.currentThread().getClass().getSimpleName());
    }

    @RowQueueHandler(value = "sum", results = "1h")
    int sum(List<Integer> numbers) {
      return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    @RowQueueHandler(value = "bulk", batchSize = 50)
    void bulk(List<Delivery<String>> batch) {
      batch.forEach(each -> writer.write(Writer.Way.JDBC, each.payload()));
    }

    @RowQueueHandler(value = "outside", transactional = false)
    void outside(String name) {
      if (TransactionSynchronizationManager.isActualTransactionActive()) {
        throw new IllegalStateException("in a transaction");
      }
      writer.write(Writer.Way.JPA, name);
    }
  }

  /** Sends SQL. */
  @Component
  @Profile("handlers")
  static class Statements {

    private final Writer writer;

    Statements(Writer writer) {
      this.writer = writer;
    }

    @RowQueueHandler(value = "sql", attempts = 2, backoff = "10ms")
    void send(List<String> statements, HandlerContext context) {
      statements.forEach(writer::send);
      writer.write(Writer.Way.JDBC, "attempt-" + context.attempt());
    }

    @RowQueueHandler(value = "sql-batch", attempts = 2, backoff = "10ms", batchSize = 2)
    void sendAll(List<Delivery<List<String>>> batch) {
      batch.forEach(each -> send(each.payload(), each.context()));
    }

    @RowQueueHandler(value = "sql-apart", attempts = 2, backoff = "10ms")
    void sendApart(List<String> statements) {
      statements.forEach(writer::sendApart);
    }
  }

  /** Version 1 called the name a title. */
  @PayloadVersion(2)
  record Parcel(String name) {}

  @Bean
  Upcasters parcels() {
    return Upcasters.to(Parcel.class).from(1, tree -> tree.put("name", tree.remove("title")));
  }

  /** A lambda, whose bean method has the annotation. */
  @Bean
  @RowQueueHandler("lambda")
  BatchHandler<Order> lambda(Writer writer) {
    return batch ->
        batch.forEach(each -> writer.write(each.payload().way(), each.payload().name()));
  }
}
