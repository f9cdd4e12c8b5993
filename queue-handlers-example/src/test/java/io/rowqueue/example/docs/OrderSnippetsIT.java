package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class OrderSnippetsIT {

  @Test
  void messagesOfACustomer_standInLine(QueueDatabase database) throws SQLException {
    MessageProducer producer = MessageProducer.create();
    database.execute("CREATE TABLE address (customer INT, street VARCHAR(50))");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      // snippet: order
      statement.execute("INSERT INTO address VALUES (42, 'Canal Street')");
      // late in the transaction: another producer of customer-42 waits from here to the COMMIT
      producer.enqueue(
          connection,
          NewMessage.of("customer.changed", List.of("address")).withOrderingKey("customer-42"));
      connection.commit();
      // end snippet
    }
    assertThat(database.strings("SELECT ordering_key FROM queue_message"))
        .containsExactly("customer-42");
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_member")).isEqualTo(1);
  }
}
