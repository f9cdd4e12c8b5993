package io.rowqueue.internal.limit;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** Several workers of one topic in this JVM, whose handlers count each other by one clock. */
public abstract class LimitScene {

  protected static final Duration SOON = Duration.ofSeconds(60);

  /** What operators are promised, and what a test's own polls take. */
  static final Duration EFFECT = Duration.ofMillis(2_300);

  static final Duration SHORT = Duration.ofMillis(10);

  protected final QueueDatabase database;
  protected final Topics topics;
  private final Topic topic;
  private final List<TestWorker> workers = new ArrayList<>();

  protected LimitScene(QueueDatabase database, Topic topic) {
    this.database = database;
    this.topics = QueueOperations.of(database.dataSource()).topics();
    this.topic = topic;
  }

  /**
   * How long something may take that is promised within {@code promised}: much longer, whatever
   * else runs, except in the full tier.
   */
  protected static Duration within(Duration promised) {
    boolean strict = "all".equals(System.getProperty("rowqueue.test.sample"));
    return strict ? promised : promised.plus(SOON);
  }

  protected void start(int count, int threads, Module handler) {
    for (int i = 0; i < count; i++) {
      workers.add(
          TestWorker.start(
              database,
              config -> config.withThreads(threads).withLeaseDuration(Duration.ofSeconds(3)),
              handler));
    }
  }

  /** The parts of a worker that is not started, until the test ends. */
  protected TestWorker parts(Module... handlers) {
    TestWorker parts = TestWorker.create(database, config -> config, handlers);
    workers.add(parts);
    return parts;
  }

  protected void drain() {
    workers.forEach(worker -> worker.worker().drain(Duration.ofSeconds(1)));
  }

  @AfterEach
  void closeAll() {
    workers.forEach(TestWorker::close);
  }

  protected void enqueue(int count) {
    enqueue(count, message -> message);
  }

  void enqueue(int count, UnaryOperator<NewMessage> with) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count)
                .mapToObj(number -> with.apply(NewMessage.of(topic, new Order(number))))
                .toList());
  }
}
