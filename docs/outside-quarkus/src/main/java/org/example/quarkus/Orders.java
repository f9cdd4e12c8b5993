package org.example.quarkus;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.worker.Worker;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Places orders, and handles them. */
@ApplicationScoped
public class Orders {

  private final MessageProducer producer = MessageProducer.create();
  @Inject DataSource dataSource;
  private Worker worker;

  // snippet: quarkus
  @Transactional
  void place(String order) throws SQLException {
    try (Connection connection = dataSource.getConnection()) { // of the JTA transaction
      insert(connection, order);
      producer.enqueue(connection, NewMessage.of("order.placed", order));
    }
  }

  void start(@Observes StartupEvent event) {
    worker =
        Worker.builder(dataSource)
            .handle(
                "order.placed",
                String.class,
                (order, context) -> insert(context.connection(), "invoice of " + order))
            .start();
  }

  // end snippet

  void stop(@Observes ShutdownEvent event) {
    worker.drain(Duration.ofSeconds(10));
    worker.close();
  }

  private static void insert(Connection connection, String text) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO paper VALUES (?)")) {
      insert.setString(1, text);
      insert.executeUpdate();
    }
  }
}
