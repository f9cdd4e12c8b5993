package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Step.What;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QueueTest
@Tag("ci")
class TwoWorkersIT {

  private static final int MESSAGES = 20_000;

  @TempDir private static Path plugins;

  @Test
  void twentyThousandMessages_twoProcesses_noneMissingNoneTwice(QueueDatabase database)
      throws Exception {
    PluginJar.pack(StepModule.class, plugins.resolve("steps.jar"));
    Ledgers books = new Ledgers(database);
    books.open();
    Process one = Processes.worker(database.url(), plugins).redirectOutput(log("one")).start();
    Process two = Processes.worker(database.url(), plugins).redirectOutput(log("two")).start();
    try {
      Await.that(
          "both are ready",
          Duration.ofMinutes(1),
          () -> database.count("SELECT COUNT(*) FROM queue_worker") == 2);
      enqueue(database);
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 0, Duration.ofMinutes(3));
      one.destroy();
      two.destroy();
      assertThat(Processes.ended(one)).isZero();
      assertThat(Processes.ended(two)).isZero();
    } finally {
      one.destroyForcibly();
      two.destroyForcibly();
    }
    books.balance();
    books.allAre("acked");
    assertThat(database.count("SELECT COUNT(*) FROM effect")).isEqualTo(MESSAGES);
    assertThat(database.strings("SELECT DISTINCT pid FROM effect"))
        .containsExactlyInAnyOrder(Long.toString(one.pid()), Long.toString(two.pid()));
  }

  private static java.io.File log(String name) {
    return plugins.resolve(name + ".log").toFile();
  }

  private static void enqueue(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      MessageProducer.create()
          .enqueueAll(
              connection,
              Collections.nCopies(MESSAGES, NewMessage.of(Step.TOPIC, new Step(What.SUCCEED))));
      statement.execute("INSERT INTO enqueued (message_id) SELECT id FROM queue_message");
      connection.commit();
    }
  }
}
