package io.rowqueue.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.Worker;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: the messages of a worker that is killed run again soon on every server. Method: two worker
 * processes with the default configuration; the first gets SIGKILL while it handles sixteen
 * messages; ten rounds, the time from the kill to the first line of the second worker's handler.
 */
@QueueTest
@Tag("full")
class FirstRerunIT {

  private static final Logger LOG = LoggerFactory.getLogger(FirstRerunIT.class);

  private static final int ROUNDS = 10;
  private static final int RUNNING = 16;
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String INSERT = "INSERT INTO rerun (nanos) VALUES (?)";

  @Test
  void killed_withSixteenRunningMessages_firstRerunIsWithinTwoSeconds(QueueDatabase database)
      throws IOException {
    database.execute("CREATE TABLE rerun (id INT AUTO_INCREMENT PRIMARY KEY, nanos BIGINT)");
    List<Double> first = new ArrayList<>();
    List<Double> last = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      database.execute("DELETE FROM rerun");
      enqueue(database);
      try (Child victim = Child.start(Handling.class, database.url(), "victim")) {
        victim.awaitReady();
        try (Child peer = Child.start(Handling.class, database.url(), "peer")) {
          peer.awaitReady();
          await(database, "SELECT 14 + COUNT(*) FROM queue_worker WHERE is_alive = 1");
          long killed = System.nanoTime();
          victim.kill();
          await(database, "SELECT COUNT(*) FROM rerun");
          first.add((database.count("SELECT MIN(nanos) FROM rerun") - killed) / 1e9);
          last.add((database.count("SELECT MAX(nanos) FROM rerun") - killed) / 1e9);
        }
      }
    }
    LOG.info("seconds from the kill to the first re-run: {}; to the last: {}", first, last);
    List<Double> sorted = first.stream().sorted().toList();
    double median = (sorted.get(ROUNDS / 2 - 1) + sorted.get(ROUNDS / 2)) / 2;
    assertThat(median).isLessThanOrEqualTo(2);
  }

  private static void enqueue(QueueDatabase database) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, RUNNING)
                .mapToObj(number -> NewMessage.of("rerun", new Numbered(number)))
                .toList());
  }

  private static void await(QueueDatabase database, String query) {
    Await.until(query, SOON, () -> database.count(query), count -> count == RUNNING);
  }

  static final class Handling {

    private Handling() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      boolean victim = arguments[1].equals("victim");
      CountDownLatch begun = new CountDownLatch(victim ? RUNNING : 0);
      Worker worker =
          Bindings.start(
              arguments[0],
              List.of(
                  Bindings.bind(
                      "rerun",
                      (message, context) -> handle(victim, begun, context),
                      HandlerSettings.defaults())));
      begun.await();
      Child.ready("ready");
      Child.awaitEnd();
      worker.close();
    }

    private static void handle(boolean victim, CountDownLatch begun, HandlerContext context)
        throws SQLException, InterruptedException {
      long nanos = System.nanoTime();
      if (victim) {
        begun.countDown();
        new CountDownLatch(1).await();
      }
      try (PreparedStatement insert = context.connection().prepareStatement(INSERT)) {
        insert.setLong(1, nanos);
        insert.executeUpdate();
      }
    }
  }
}
