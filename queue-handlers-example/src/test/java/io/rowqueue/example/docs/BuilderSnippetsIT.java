package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import java.sql.PreparedStatement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QueueTest
class BuilderSnippetsIT {

  record Points(String customer, int points) {}

  @Test
  void worker_ofTheBuilder_writesInTheMessagesTransaction(QueueDatabase database) {
    database.execute("CREATE TABLE loyalty (customer VARCHAR(64) PRIMARY KEY, points INT)");
    DataSource dataSource = database.dataSource();
    // snippet: builder
    Worker worker =
        Worker.builder(dataSource)
            .handle(
                "points.earned",
                Points.class,
                (earned, context) -> {
                  String sql = "INSERT INTO loyalty (customer, points) VALUES (?, ?)";
                  try (PreparedStatement insert = context.connection().prepareStatement(sql)) {
                    insert.setString(1, earned.customer());
                    insert.setInt(2, earned.points());
                    insert.executeUpdate();
                  }
                })
            .threads(8)
            .start();
    // end snippet
    MessageProducer.create()
        .enqueue(dataSource, NewMessage.of("points.earned", new Points("ada", 3)));
    Await.until(
        "the message is handled",
        Duration.ofSeconds(20),
        () -> database.count("SELECT COUNT(*) FROM queue_message"),
        left -> left == 0);
    // snippet: builder-stop
    worker.drain(Duration.ofSeconds(30)); // running handlers may finish
    worker.close(); // before the data source
    // end snippet
    assertThat(database.count("SELECT points FROM loyalty WHERE customer = 'ada'")).isEqualTo(3);
  }
}
