package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QueueTest
class ResultSnippetsIT {

  /** What is asked. */
  record PriceRequest(String article, int pieces) {}

  /** What comes back. */
  record Price(int cents) {}

  // snippet: result-handler
  static final class PriceHandler implements ResultHandler<PriceRequest, Price> {

    @Override
    public Price handle(PriceRequest request, HandlerContext context) {
      return new Price(199 * request.pieces());
    }
  }

  // end snippet

  private static Module module() {
    return new AbstractModule() {
      @Override
      protected void configure() {
        HandlerBinder.bind(
            binder(),
            "price",
            PriceHandler.class,
            HandlerSettings.defaults().withResults(Duration.ofHours(1)));
      }
    };
  }

  @Test
  void price_isAwaited(QueueDatabase database) throws Exception {
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    try (Worker worker =
        Guice.createInjector(module(), new WorkerModule(WorkerConfig.defaults(database.config())))
            .getInstance(Worker.class)) {
      worker.start();
      // snippet: result-await
      try (Results results = Results.over(dataSource)) { // one for a process
        NewMessage message = NewMessage.of("price", new PriceRequest("apple", 3));
        Price price =
            results.enqueueAndAwait(producer, message, Price.class, Duration.ofSeconds(20));
        assertThat(price).isEqualTo(new Price(597));
      }
      // end snippet
    }
  }
}
