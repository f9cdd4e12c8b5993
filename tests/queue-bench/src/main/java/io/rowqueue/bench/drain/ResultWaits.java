package io.rowqueue.bench.drain;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.result.Results;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One thread that enqueues and awaits, over and over, and a worker in the same process. */
final class ResultWaits implements AutoCloseable {

  /** Its ack's COMMIT, the ring and the look. */
  static final String LAST = "from the handler's return to the waiter's thread";

  private static final String TOPIC = "awaited";

  /** Code is compiled after some thousand calls; processes are up for days. */
  private static final int WARM_UP = 1_000;

  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final HikariDataSource pool;
  private final Worker worker;
  private final Results results;
  private final MessageProducer producer = MessageProducer.create();
  private volatile long begunNanos;
  private volatile long returnedNanos;

  ResultWaits(QueueDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(3);
    this.pool = new HikariDataSource(config);
    this.worker =
        Bindings.start(
            database.url(),
            List.of(
                LambdaHandlers.bindResult(
                    TOPIC,
                    Numbered.class,
                    this::handle,
                    HandlerSettings.defaults().withResults(Duration.ofHours(1)))));
    this.results = Results.over(pool);
  }

  private int handle(Numbered message, HandlerContext context) {
    begunNanos = System.nanoTime();
    int result = message.number();
    returnedNanos = System.nanoTime();
    return result;
  }

  /** So many waits, behind a warm-up as long. */
  Map<String, Figures> measure(int waits) throws InterruptedException {
    Map<String, List<Double>> millis = new LinkedHashMap<>();
    int warmUp = Math.min(WARM_UP, waits);
    for (int number = -warmUp; number < waits; number++) {
      long start = System.nanoTime();
      Integer result =
          results.enqueueAndAwait(
              producer, NewMessage.of(TOPIC, new Numbered(number)), Integer.class, LONGEST);
      long end = System.nanoTime();
      if (result == null || result != number) {
        throw new IllegalStateException("%d gave %s back".formatted(number, result));
      }
      if (number >= 0) {
        note(millis, "from the call to the handler's first line", begunNanos - start);
        note(millis, LAST, end - returnedNanos);
        note(millis, "in all", end - start);
      }
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    millis.forEach((what, each) -> figures.put(what, Figures.of(each)));
    return figures;
  }

  private static void note(Map<String, List<Double>> millis, String what, long nanos) {
    millis.computeIfAbsent(what, none -> new ArrayList<>()).add(nanos / 1e6);
  }

  @Override
  public void close() {
    results.close();
    worker.close();
    pool.close();
  }
}
