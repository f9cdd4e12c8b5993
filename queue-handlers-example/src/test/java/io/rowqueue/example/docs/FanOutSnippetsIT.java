package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Subscriptions in code and at run time, and who publishes, as the documents show them. */
@QueueTest
class FanOutSnippetsIT {

  record Order(int number) {}

  @Singleton
  static final class ThankHandler implements MessageHandler<Order> {

    private final List<String> sources = new CopyOnWriteArrayList<>();

    @Inject
    ThankHandler() {}

    @Override
    public void handle(Order order, HandlerContext context) {
      sources.add(String.valueOf(context.headers().get(Publication.SOURCE_HEADER)));
    }
  }

  static final class EmailModule extends AbstractModule {

    @Override
    protected void configure() {
      // snippet: fan-out-subscribe
      HandlerBinder.bind(binder(), "email.order-placed", ThankHandler.class);
      SubscriptionBinder.bind(binder(), "order.placed", "email.order-placed"); // source, topic
      // end snippet
    }
  }

  private final MessageProducer producer = MessageProducer.create();

  private static void insert(Connection connection, Order order) throws SQLException {
    try (Statement insert = connection.createStatement()) {
      insert.execute("INSERT INTO orders VALUES (" + order.number() + ")");
    }
  }

  private Publication place(Connection connection, Order order) throws SQLException {
    // snippet: fan-out-publish
    insert(connection, order);
    Publication made = producer.publish(connection, NewMessage.of("order.placed", order));
    made.requireCopies(); // if somebody must get it
    connection.commit();
    // end snippet
    return made;
  }

  @Test
  void publish_inATransaction_reachesWhoeverIsSubscribed(QueueDatabase database)
      throws SQLException {
    DataSource dataSource = database.dataSource();
    database.execute("CREATE TABLE IF NOT EXISTS orders (id INT PRIMARY KEY)");
    var injector =
        Guice.createInjector(
            new WorkerModule(WorkerConfig.defaults(database.config())), new EmailModule());
    Worker worker = injector.getInstance(Worker.class);
    worker.start();
    try {
      Subscriptions subscriptions = QueueOperations.of(dataSource).subscriptions(); // thread-safe
      subscriptions.subscribe("order.placed", "stock.reserve"); // has committed when it returns
      Publication made;
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        made = place(connection, new Order(7));
      }
      assertThat(made.copies().keySet())
          .containsExactly(new Topic("email.order-placed"), new Topic("stock.reserve"));
      List<String> sources = injector.getInstance(ThankHandler.class).sources;
      Await.that("it is handled", Duration.ofSeconds(20), () -> sources.size() == 1);
      assertThat(sources).containsExactly("order.placed");
    } finally {
      worker.close();
      database.execute("DROP TABLE orders");
    }
  }
}
