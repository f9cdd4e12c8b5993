package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.proof.turns.Alone;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a worker costs that has nothing to do. */
@Alone
@QueueTest
class IdleIT {

  private static final int SECONDS = 12;

  @Test
  void idleWorker_withTenTopics_sendsFewStatements(QueueDatabase database) throws SQLException {
    Module[] topics =
        IntStream.range(0, 10)
            .mapToObj(i -> Handlers.bind("topic" + i, (order, context) -> {}))
            .toArray(Module[]::new);
    try (TestWorker worker = TestWorker.start(database, IdleIT::defaults, topics);
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      Await.until(
          "its connections are open and its looks rare",
          Duration.ofSeconds(30),
          () -> questionsIn(statement, 2),
          count -> count < 20);
      // Less what this connection asks: the pause, and the second look at the counter.
      long sent = questionsIn(statement, SECONDS) - 2;
      System.out.printf("%d statements in %d s%n", sent, SECONDS);
      assertThat(sent / (double) SECONDS).as("statements a second").isLessThan(2.5);
      assertThat(sent).as("it does look").isGreaterThan(SECONDS / 2);
    }
  }

  private static WorkerConfig defaults(WorkerConfig config) {
    return WorkerConfig.defaults(config.database());
  }

  private static long questionsIn(Statement statement, int seconds) throws SQLException {
    long before = questions(statement);
    statement.execute("DO SLEEP(" + seconds + ")");
    return questions(statement) - before;
  }

  private static long questions(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
      row.next();
      return row.getLong(2);
    }
  }
}
