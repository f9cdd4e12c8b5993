package org.example.micronaut;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.SQLException;

/** Places orders. */
@Singleton
class Orders {

  private final MessageProducer producer = MessageProducer.create();
  private final Connection connection;

  /**
   * @param connection Micronaut's, which is that of the transaction under way
   */
  Orders(Connection connection) {
    this.connection = connection;
  }

  @Transactional
  void place(String order) throws SQLException {
    Papers.insert(connection, order);
    producer.enqueue(connection, NewMessage.of("order.placed", order));
  }
}
