package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.spring.shop.Blocking;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

/** The end of an application, with Spring Boot's defaults. */
@QueueTest
@Isolated("it reads the log of the whole JVM")
class ShutdownIT {

  @Test
  void close_whileAHandlerRuns_drainsBeforeServerAndPoolStop(QueueDatabase database)
      throws Exception {
    database.execute(Applications.ITEM);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    try (var context =
        Applications.startWeb(
            database, ShopApplication.class, 10, "spring.profiles.active=blocking")) {
      logged.start();
      ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(logged);
      Blocking handler = context.getBean(Blocking.class);
      HikariDataSource pool = context.getBean(HikariDataSource.class);
      context.getBean(QueueTemplate.class).enqueue("block", "a");
      handler.awaitBegun();

      CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
      Await.that(
          "the web server tells that the worker drains",
          Duration.ofSeconds(20),
          () -> Applications.get(context, "/actuator/health").body().contains("draining"));
      assertThat(closed).isNotDone();
      assertThat(pool.isClosed()).isFalse();
      handler.release();
      closed.get(20, TimeUnit.SECONDS);

      assertThat(pool.isClosed()).isTrue();
    }
    assertThat(logged.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .isEmpty();
    assertThat(database.count("SELECT COUNT(*) FROM item")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  /** Spring 6 destroys the beans then, but does not stop them. */
  @Test
  void start_thatFailsAfterTheWorkerHasStarted_endsTheWorker(QueueDatabase database) {
    assertThatThrownBy(() -> Applications.start(database, FailsLate.class, 10))
        .hasStackTraceContaining("worker runs: true");
    Await.that(
        "the worker's row is gone",
        Duration.ofSeconds(20),
        () -> database.count("SELECT COUNT(*) FROM queue_worker") == 0);
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("queue-handler"));
  }

  @Import(ShopApplication.class)
  static class FailsLate {
    @RowQueueHandler("a")
    void handle(String payload) {}

    @EventListener(ContextRefreshedEvent.class)
    void check(ContextRefreshedEvent event) {
      ApplicationWorker worker = event.getApplicationContext().getBean(ApplicationWorker.class);
      throw new IllegalStateException("worker runs: " + worker.isRunning());
    }
  }
}
