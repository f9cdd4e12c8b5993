package io.rowqueue.tests;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.util.Modules;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.poll.Listener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

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

  /** The same, with handlers' connections that are what {@code between} makes of the pool's. */
  public static TestWorker startOver(
      QueueDatabase database,
      UnaryOperator<DataSource> between,
      UnaryOperator<WorkerConfig> settings,
      Module... handlers) {
    WorkerModule worker = new WorkerModule(settings.apply(config(database.url())));
    List<Module> modules = new ArrayList<>(List.of(handlers));
    modules.add(Modules.override(worker).with(new ConnectionsBetween(between)));
    TestWorker started = new TestWorker(Guice.createInjector(modules));
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
        .withPollInterval(Duration.ofMillis(100))
        .withHandlers(
            HandlerDefaults.defaults()
                .withMaxAttempts(3)
                .withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(50))));
  }

  /** A part of it. */
  public <T> T get(Class<T> type) {
    return injector.getInstance(type);
  }

  public Worker worker() {
    return worker;
  }

  /**
   * Awaits that a notification has reached it. Its message may be handled before that: an idle
   * worker still polls, soon after it fell asleep.
   */
  public void awaitNotification(Duration longest) {
    Await.that("a notification arrives", longest, () -> get(Listener.class).wakes() > 0);
  }

  @Override
  public void close() {
    worker.close();
    // A worker that was never started closes nothing, but its parts may have connected.
    injector.getInstance(WorkerPools.class).close();
  }

  /** Stands in for the transactions in which handlers run. */
  private static final class ConnectionsBetween extends AbstractModule {

    private final UnaryOperator<DataSource> between;

    ConnectionsBetween(UnaryOperator<DataSource> between) {
      this.between = between;
    }

    @Provides
    @Singleton
    @HandlerConnections
    Transactions handlerTransactions(
        WorkerPools pools, TransactionProbe probe, WorkerNotifier notifier) {
      return new Transactions(between.apply(pools.handlers()), pools.dialect(), probe)
          .ringing(notifier);
    }
  }
}
