package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Bindings and an embedded worker, as the documents show them. */
@QueueTest
class BindingSnippetsIT {

  @Singleton
  static final class ReportHandler implements MessageHandler<String> {

    private final List<String> handled = new CopyOnWriteArrayList<>();

    @Inject
    ReportHandler() {}

    @Override
    public void handle(String report, HandlerContext context) {
      handled.add(report + " for " + MDC.get("tenant"));
    }
  }

  // snippet: interceptor
  static final class TenantScope implements HandlerInterceptor {

    @Override
    public void intercept(HandlerContext context, Invocation next) throws Exception {
      try (var scope =
          MDC.putCloseable("tenant", context.headers().getOrDefault("tenant", "none"))) {
        next.proceed();
      }
    }
  }

  // end snippet

  static final class ReportModule extends AbstractModule {

    @Override
    protected void configure() {
      HandlerBinder.bind(
          binder(),
          "report.build",
          ReportHandler.class,
          HandlerSettings.defaults()
              .withRetryPolicy(
                  RetryPolicy.exponential(Duration.ofSeconds(10), 3.0, Duration.ofMinutes(30)))
              .withMaxAttempts(5)
              .withTimeout(Duration.ofMinutes(20))
              .withMaxThreads(2)
              .withoutTransaction());
      HandlerBinder.intercept(binder(), TenantScope.class);
    }
  }

  @Test
  void worker_embedded_handlesInsideTheInterceptor(QueueDatabase database) {
    MessageProducer.create()
        .enqueue(
            database.dataSource(),
            NewMessage.of("report.build", "sales").withHeader("tenant", "acme"));
    String url = database.url();
    String user = database.user();
    String password = database.password();
    WorkerConfig config =
        WorkerConfig.defaults(new DatabaseConfig(url, user, password)).withThreads(8);
    var injector = Guice.createInjector(new WorkerModule(config), new ReportModule());
    Worker worker = injector.getInstance(Worker.class);
    worker.start(); // returns once it claims; checks database, schema and bindings first
    Await.until(
        "the report is built",
        Duration.ofSeconds(20),
        () -> database.count("SELECT COUNT(*) FROM queue_message"),
        left -> left == 0);
    worker.close();
    assertThat(injector.getInstance(ReportHandler.class).handled).containsExactly("sales for acme");
  }
}
