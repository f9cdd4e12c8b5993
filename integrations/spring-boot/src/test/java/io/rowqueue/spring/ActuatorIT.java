package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import io.rowqueue.spring.shop.Blocking;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** The health contributor and the endpoint. */
@QueueTest
class ActuatorIT {

  private static final String OFF = "rowqueue.worker.enabled=false";

  @Test
  void producer_isUp_andShowsTopics(QueueDatabase database) throws Exception {
    database.queue().enqueue("order.placed", "a");
    try (var context = Applications.startWeb(database, ShopApplication.class, 5, OFF)) {
      assertThat(health(context).at("/status").asText()).isEqualTo("UP");
      JsonNode read = json(Applications.get(context, "/actuator/rowqueue"));
      assertThat(read.at("/topics/order.placed/available").asLong()).isEqualTo(1);
      assertThat(read.has("worker")).isFalse();
    }
  }

  @Test
  void producer_withoutTables_isDown(QueueDatabase database) throws Exception {
    try (QueueDatabase empty = QueueDatabase.createEmpty();
        var context =
            Applications.startWeb(empty, ShopApplication.class, 5, OFF, "rowqueue.schema=none")) {
      JsonNode health = health(context);
      assertThat(health.at("/status").asText()).isEqualTo("DOWN");
      assertThat(health.at("/details/reason").asText()).contains("migrate");
    }
  }

  @Test
  void worker_showsItsThreads(QueueDatabase database) throws Exception {
    database.execute(Applications.ITEM);
    try (var context =
        Applications.startWeb(
            database, ShopApplication.class, 10, "spring.profiles.active=blocking")) {
      assertThat(health(context).at("/status").asText()).isEqualTo("UP");
      context.getBean(QueueTemplate.class).enqueue("block", "a");
      context.getBean(Blocking.class).awaitBegun();
      JsonNode read = json(Applications.get(context, "/actuator/rowqueue"));
      assertThat(read.at("/worker/busyThreads").asInt()).isEqualTo(1);
      assertThat(read.at("/worker/threads").asInt()).isEqualTo(4);
      assertThat(read.at("/topics/block/inFlight").asLong()).isEqualTo(1);
      assertThat(Applications.get(context, "/actuator/prometheus").body())
          .contains("rowqueue_threads_busy 1.0");
      context.getBean(Blocking.class).release();
      context.getBean(ApplicationWorker.class).stop();
      assertThat(health(context).at("/status").asText()).isEqualTo("DOWN");
      assertThat(health(context).at("/details/reason").asText())
          .isEqualTo("the worker is not running");
    }
  }

  @Test
  void workerWithoutHandlers_isUp(QueueDatabase database) throws Exception {
    try (var context = Applications.startWeb(database, ShopApplication.class, 5)) {
      assertThat(health(context).at("/status").asText()).isEqualTo("UP");
    }
  }

  /** An exception of a health indicator would be the HTTP status 500 of the whole endpoint. */
  @Test
  void trouble_ofADataSourceWithAnUnexpectedFailure_isThatFailure() {
    DataSource failing =
        new AbstractDataSource() {
          @Override
          public Connection getConnection() {
            throw new UnsupportedOperationException();
          }

          @Override
          public Connection getConnection(String username, String password) {
            throw new UnsupportedOperationException();
          }
        };
    QueueState state =
        new QueueState(
            new QueueDataSource(failing),
            new StaticListableBeanFactory().getBeanProvider(ApplicationWorker.class));
    assertThat(state.trouble()).contains("UnsupportedOperationException");
  }

  @Test
  void applicationWithoutActuator_starts(QueueDatabase database) {
    new ApplicationContextRunner()
        .withClassLoader(
            new FilteredClassLoader(
                "org.springframework.boot.actuate", "org.springframework.boot.health"))
        .withConfiguration(
            AutoConfigurations.of(
                RowQueueAutoConfiguration.class, RowQueueActuatorAutoConfiguration.class))
        .withBean(DataSource.class, database::dataSource)
        .withPropertyValues(OFF)
        .run(
            context -> {
              assertThat(context).hasSingleBean(QueueTemplate.class);
              assertThat(context).doesNotHaveBean(QueueState.class);
            });
  }

  private static JsonNode health(ConfigurableApplicationContext context) {
    return json(Applications.get(context, "/actuator/health")).at("/components/rowqueue");
  }

  private static JsonNode json(HttpResponse<String> response) {
    try {
      return new ObjectMapper().readTree(response.body());
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new AssertionError(response.body(), e);
    }
  }
}
