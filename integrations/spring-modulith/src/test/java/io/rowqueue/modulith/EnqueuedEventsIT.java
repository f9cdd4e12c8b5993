package io.rowqueue.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.spring.RowQueueHandler;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.support.TransactionTemplate;

/** Events of an application with {@code spring.modulith.events.externalization.mode=outbox}. */
class EnqueuedEventsIT {

  private static final String MODE = "--spring.modulith.events.externalization.mode=";
  private static final String WITHOUT_REGISTRY =
      "--spring.autoconfigure.exclude=org.springframework.modulith.events.config.EventPublicationAutoConfiguration";
  private static final String MESSAGES =
      "SELECT CONCAT_WS(' ', topic, ordering_key, payload) FROM queue_message ORDER BY id";

  private static QueueDatabase database;
  private static ConfigurableApplicationContext context;

  /** An event with an expression as its key. */
  @Externalized("order.placed::#{customer()}")
  record OrderPlaced(String customer, String item) {}

  /** An event without a key, whose topic is an expression. */
  @Externalized("#{'order.' + 'cancelled'}")
  record OrderCancelled(String customer) {}

  /** An event that is mapped to another payload, without what its topic, key and header need. */
  @Externalized("#{'order.' + state()}::#{customer()}")
  record OrderShipped(String customer, String state, String address) {}

  /** The payload of an {@link OrderShipped}. */
  record Shipment(String to) {}

  /** An event that stays inside the application. */
  record OrderSeen(String customer) {}

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Application {

    @Bean
    EventExternalizationConfiguration externalization() {
      return EventExternalizationConfiguration.externalizing()
          .select(EventExternalizationConfiguration.annotatedAsExternalized())
          .mapping(OrderShipped.class, event -> new Shipment(event.address()))
          .headers(OrderPlaced.class, event -> Map.of("letters", event.item().length()))
          .headers(OrderShipped.class, EnqueuedEventsIT::headers)
          .build();
    }

    @Bean
    Writer writer(JdbcTemplate jdbc) {
      return new Writer(jdbc);
    }
  }

  /** Writes what it receives. */
  static class Writer {

    private final JdbcTemplate jdbc;

    Writer(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @RowQueueHandler("order.placed")
    void write(OrderPlaced event, HandlerContext context) {
      jdbc.update(
          "INSERT INTO written VALUES (?)",
          event.customer() + " " + event.item() + " " + context.headers().get("letters"));
    }
  }

  @BeforeAll
  static void start() {
    database = QueueDatabase.create();
    database.execute("CREATE TABLE written (text VARCHAR(100))");
    context = start("outbox", "--rowqueue.worker.enabled=false");
  }

  private static ConfigurableApplicationContext start(String mode, String... arguments) {
    SpringApplicationBuilder application =
        new SpringApplicationBuilder(Application.class)
            .properties("spring.datasource.url=" + database.url());
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = MODE + mode;
    return application.run(all);
  }

  @AfterEach
  void clean() {
    database.execute("DELETE FROM queue_message", "DELETE FROM written");
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
    database.close();
  }

  @Test
  void event_ofACommittedTransaction_isEnqueuedOnceWithItsKey() {
    publish(context, new OrderPlaced("Ada", "tea"), false);
    assertThat(database.strings(MESSAGES))
        .containsExactly("order.placed Ada {\"customer\":\"Ada\",\"item\":\"tea\"}");
  }

  @Test
  void event_withoutAKey_hasNoOrderingKey() {
    publish(context, new OrderCancelled("Ada"), false);
    assertThat(database.strings(MESSAGES))
        .containsExactly("order.cancelled {\"customer\":\"Ada\"}");
  }

  /** Modulith omits a header without a value, too. */
  @Test
  void event_thatIsMapped_hasItsOwnTopicKeyAndHeaders() {
    publish(context, new OrderShipped("Ada", "shipped", "London"), false);
    assertThat(database.strings(MESSAGES)).containsExactly("order.shipped Ada {\"to\":\"London\"}");
    assertThat(database.strings("SELECT headers FROM queue_message"))
        .singleElement()
        .asString()
        .contains("customer", "Ada")
        .doesNotContain("carrier");
  }

  private static Map<String, Object> headers(OrderShipped event) {
    Map<String, Object> headers = new HashMap<>();
    headers.put("customer", event.customer());
    headers.put("carrier", null);
    return headers;
  }

  @Test
  void event_ofATransactionThatRollsBack_isNotEnqueued() {
    publish(context, new OrderPlaced("Ada", "tea"), true);
    assertThat(database.strings(MESSAGES)).isEmpty();
  }

  @Test
  void event_thatIsNotExternalized_isNotEnqueued() {
    publish(context, new OrderSeen("Ada"), false);
    assertThat(database.strings(MESSAGES)).isEmpty();
  }

  @Test
  void event_ofAnApplicationWithoutARegistry_reachesTheHandlerOfItsTopic() {
    try (var worker = start("outbox", WITHOUT_REGISTRY)) {
      publish(worker, new OrderPlaced("Ada", "tea"), false);
      Await.that(
          "the event is handled",
          Duration.ofSeconds(20),
          () -> database.strings("SELECT text FROM written").equals(List.of("Ada tea 3")));
    }
    assertThat(database.strings(MESSAGES)).isEmpty();
  }

  @Test
  void event_inAnotherMode_isNotEnqueued() {
    try (var listening = start("module-listener", "--rowqueue.worker.enabled=false")) {
      publish(listening, new OrderPlaced("Ada", "tea"), false);
    }
    assertThat(database.strings(MESSAGES)).isEmpty();
  }

  private static void publish(
      ConfigurableApplicationContext application, Object event, boolean rollback) {
    application
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(
            status -> {
              application.publishEvent(event);
              if (rollback) {
                status.setRollbackOnly();
              }
            });
  }
}
