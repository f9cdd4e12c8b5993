package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.StatementCounter;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a worker costs that has nothing to do. */
@Tag("ci")
@QueueTest
class IdleIT {

  private static final Duration LONG = Duration.ofSeconds(30);

  /** The statements of one sampling of the statistics, which comes with every full minute. */
  private static final int SAMPLING = 15;

  @Test
  void idleWorker_withTenTopics_sendsFewStatements(QueueDatabase database) {
    Module[] topics =
        IntStream.range(0, 10)
            .mapToObj(i -> Handlers.bind("topic" + i, (order, context) -> {}))
            .toArray(Module[]::new);
    String url = StatementCounter.counting(database.url());
    try (TestWorker worker = TestWorker.startAt(url, IdleIT::defaults, topics)) {
      Await.that(
          "its polls are rare", LONG, () -> worker.get(Claimer.class).idleWait().toMillis() > 900);
      long begin = System.nanoTime();
      int before = StatementCounter.sent(url);
      int most = 40 + SAMPLING;
      Await.until(
          "it polls", LONG, () -> StatementCounter.sent(url) - before, sent -> sent >= most);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("for 40 statements: two a second, and some that come together every few seconds")
          .isGreaterThan(Duration.ofSeconds(9));
    }
  }

  private static WorkerConfig defaults(WorkerConfig config) {
    return WorkerConfig.defaults(config.database());
  }
}
