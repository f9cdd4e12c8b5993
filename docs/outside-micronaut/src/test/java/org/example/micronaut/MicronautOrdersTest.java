package org.example.micronaut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import io.micronaut.transaction.TransactionOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MicronautOrdersTest {

  @Test
  void order_commitsOrRollsBackWithItsMessage() throws Exception {
    try (QueueDatabase database = QueueDatabase.create()) {
      database.execute("CREATE TABLE paper (text VARCHAR(100) PRIMARY KEY)");
      try (ApplicationContext context =
          ApplicationContext.run(
              Map.of(
                  "datasources.default.url", database.url(),
                  "datasources.default.driver-class-name", "com.mysql.cj.jdbc.Driver"))) {
        Orders orders = context.getBean(Orders.class);
        TransactionOperations<Connection> transactions =
            context.getBean(Argument.of(TransactionOperations.class, Connection.class));
        assertThrows(
            IllegalStateException.class,
            () ->
                transactions.executeWrite(
                        status -> {
                          orders.place("order 1");
                          throw new IllegalStateException("planned");
                        }));
        orders.place("order 2");
        Await.that(
            "an invoice",
            Duration.ofSeconds(20),
            () -> database.strings("SELECT text FROM paper").size() == 2);
        Await.that(
            "no message",
            Duration.ofSeconds(20),
            () -> database.strings("SELECT id FROM queue_message").isEmpty());
      }
      assertEquals(
          List.of("invoice of order 2", "order 2"),
          database.strings("SELECT text FROM paper ORDER BY text"));
    }
  }
}
