package io.rowqueue.proof;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import io.rowqueue.handle.HandlerDefaults;
import io.rowqueue.handle.RetryPolicy;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerPools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A worker in this JVM, with settings that make tests short. */
public final class TestWorker implements AutoCloseable {

  private final Injector injector;
  private final Worker worker;

  private TestWorker(Injector injector) {
    this.injector = injector;
    this.worker = injector.getInstance(Worker.class);
  }

  /** Starts one with these handlers. */
  public static TestWorker start(QueueDatabase database, Module handlers) {
    return start(database, config -> config, handlers);
  }

  /** Starts one with these handlers and settings. */
  public static TestWorker start(
      QueueDatabase database, UnaryOperator<WorkerConfig> settings, Module... handlers) {
    return startAt(database.url(), settings, handlers);
  }

  /** The same, for a database that is reached by a URL of its own. */
  public static TestWorker startAt(
      String url, UnaryOperator<WorkerConfig> settings, Module... handlers) {
    TestWorker started = createAt(url, settings, handlers);
    started.worker.start();
    return started;
  }

  /** The parts of one that is not started. */
  public static TestWorker create(
      QueueDatabase database, UnaryOperator<WorkerConfig> settings, Module... handlers) {
    return createAt(database.url(), settings, handlers);
  }

  /** The same, for a database that is reached by a URL of its own. */
  public static TestWorker createAt(
      String url, UnaryOperator<WorkerConfig> settings, Module... handlers) {
    List<Module> modules = new ArrayList<>(List.of(handlers));
    modules.add(new WorkerModule(settings.apply(config(url))));
    return new TestWorker(Guice.createInjector(modules));
  }

  private static WorkerConfig config(String url) {
    return WorkerConfig.defaults(new DatabaseConfig(url, "", ""))
        .withThreads(4)
        .withPollEvery(Duration.ofMillis(100))
        .withHandlers(
            HandlerDefaults.defaults()
                .withMaxAttempts(3)
                .withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(50))));
  }

  /** A part of it. */
  public <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  Worker worker() {
    return worker;
  }

  @Override
  public void close() {
    worker.close();
    // A worker that was never started closes nothing, but its parts may have connected.
    injector.getInstance(WorkerPools.class).close();
  }
}
