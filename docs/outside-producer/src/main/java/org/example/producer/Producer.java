package org.example.producer;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Enqueues a greeting in a transaction of its own, without Guice and jOOQ on the class path. */
final class Producer {

  record Greeting(String name) {}

  private Producer() {}

  public static void main(String[] arguments) throws SQLException {
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      connection.setAutoCommit(false);
      MessageProducer.create()
          .enqueue(
              connection, NewMessage.of("greeting.requested", new Greeting(arguments[1])));
      connection.commit();
    }
  }
}
