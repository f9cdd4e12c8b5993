package io.rowqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Which beans of an application are used. */
@QueueTest
class ChosenBeansIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String NAMED = "rowqueue.data-source=second";

  /** Handles in the second data source. */
  static final class Handlers {

    private final JdbcTemplate jdbc;

    Handlers(DataSource second) {
      this.jdbc = new JdbcTemplate(second);
    }

    @RowQueueHandler(value = "write", attempts = 2, backoff = "10ms")
    void write(String name, HandlerContext context) {
      jdbc.update("INSERT INTO item (name, writer) VALUES (?, 'jdbc')", name);
      if (context.attempt() == 1) {
        throw new IllegalStateException("the first attempt fails");
      }
    }
  }

  /** Collects the observations of the application. */
  @Configuration(proxyBeanMethods = false)
  static class Observed {

    final List<String> names = new CopyOnWriteArrayList<>();

    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }

    @Bean
    ObservationRegistry observations() {
      ObservationRegistry registry = ObservationRegistry.create();
      registry
          .observationConfig()
          .observationHandler(
              new ObservationHandler<>() {
                @Override
                public void onStop(Observation.Context stopped) {
                  names.add(
                      "%s, topic %s, %s"
                          .formatted(
                              stopped.getContextualName(),
                              stopped.getLowCardinalityKeyValue("topic").getValue(),
                              stopped.getError() == null ? "ended" : "failed"));
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                  return context.getName().equals("rowqueue.handle");
                }
              });
      return registry;
    }
  }

  @Test
  void secondDataSource_isThatOfQueueAndHandlers(QueueDatabase database) {
    database.execute(Applications.ITEM);
    try (QueueDatabase first = QueueDatabase.createEmpty()) {
      application(first, database, true)
          .withPropertyValues(NAMED)
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                context.getBean(QueueTemplate.class).enqueue("write", "a");
                Await.that(
                    "it is handled",
                    SOON,
                    () -> database.count("SELECT COUNT(*) FROM queue_message") == 0);
                // A write outside the transaction would be there twice.
                assertThat(database.strings("SELECT name FROM item")).containsExactly("a");
                assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
              });
      assertThat(first.strings("SHOW TABLES")).isEmpty();
    } finally {
      database.execute("DROP TABLE item");
    }
  }

  @Test
  void dataSource_thatIsUnknownOrAmbiguous_isRefusedWithTheBeans(QueueDatabase database) {
    String reason =
        "it must name one of the beans of type DataSource, unless one of them is primary: first,"
            + " second";
    application(database, database, true)
        .withPropertyValues("rowqueue.data-source=third")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("rowqueue.data-source")
                    .hasMessageContaining("third")
                    .hasMessageContaining(reason));
    application(database, database, false)
        .run(
            context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(reason));
  }

  @Test
  void transactionManager_thatIsUnknown_isRefusedWithTheBeans(QueueDatabase database) {
    application(database, database, true)
        .withPropertyValues(NAMED, "rowqueue.transaction-manager=third")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("PlatformTransactionManager")
                    .hasMessageContaining("firstTransactions, secondTransactions"));
  }

  @Test
  void transactionManager_ofAnotherDataSource_isRefusedAtTheStart(QueueDatabase database) {
    String reason = "does not manage the connections of RowQueue's data source";
    try (QueueDatabase first = QueueDatabase.createEmpty()) {
      application(first, database, true)
          .withPropertyValues(NAMED, "rowqueue.transaction-manager=firstTransactions")
          .run(
              context ->
                  assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(reason));
    }
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RowQueueAutoConfiguration.class))
        .withBean(DataSource.class, database::dataSource)
        .withBean(
            JdbcTransactionManager.class,
            () -> new JdbcTransactionManager(new DelegatingDataSource(database.dataSource())))
        .withBean(Handlers.class, () -> new Handlers(database.dataSource()))
        .run(
            context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(reason));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void objectMappers_ofWhichNoneIsPrimary_areRefused(boolean primary, QueueDatabase database) {
    application(database, database, true)
        .withPropertyValues("rowqueue.worker.enabled=false")
        .withBean("strict", ObjectMapper.class)
        .withBean(
            "snake",
            ObjectMapper.class,
            () -> new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE),
            definition -> definition.setPrimary(primary))
        .run(
            context -> {
              if (primary) {
                byte[] encoded = context.getBean(PayloadCodec.class).encode(new Named("Ada"));
                assertThat(encoded).asString(UTF_8).isEqualTo("{\"first_name\":\"Ada\"}");
              } else {
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("ObjectMapper: [strict, snake]; mark one of them");
              }
            });
  }

  /** A payload whose JSON depends on the mapper. */
  private record Named(String firstName) {}

  /** An application that does not use jOOQ, and has no primary data source. */
  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class SeveralDataSources {

    @Bean
    DataSource first(@Value("${spring.datasource.url}") String url) {
      return new DriverManagerDataSource(url);
    }

    @Bean
    DataSource second(@Value("${spring.datasource.url}") String url) {
      return new DriverManagerDataSource(url);
    }

    @Bean
    PlatformTransactionManager firstTransactions(@Qualifier("first") DataSource source) {
      return new JdbcTransactionManager(source);
    }

    @Bean
    PlatformTransactionManager secondTransactions(@Qualifier("second") DataSource source) {
      return new JdbcTransactionManager(source);
    }
  }

  @Test
  void dataSources_ofWhichNoneIsPrimary_needNoneForJooq(QueueDatabase database) {
    try (var context =
        Applications.start(
            database,
            SeveralDataSources.class,
            1,
            NAMED,
            "spring.data.jpa.repositories.enabled=false")) {
      context.getBean(QueueTemplate.class).enqueue("order.placed", "a");
      assertThat(context.getBeanNamesForType(DSLContext.class)).isNotEmpty();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  /** Leaves its payload in its thread as user, locale and request. */
  static final class Leaving {

    final List<String> found = new CopyOnWriteArrayList<>();

    @RowQueueHandler("leave")
    void leave(String name) {
      found.add(
          "%s %s %s"
              .formatted(
                  SecurityContextHolder.getContext().getAuthentication(),
                  LocaleContextHolder.getLocaleContext(),
                  RequestContextHolder.getRequestAttributes()));
      SecurityContextHolder.getContext()
          .setAuthentication(new TestingAuthenticationToken(name, name));
      LocaleContextHolder.setLocale(Locale.forLanguageTag(name));
      RequestContextHolder.setRequestAttributes(
          new ServletRequestAttributes(new MockHttpServletRequest()));
    }
  }

  @Test
  void userLocaleAndRequest_thatAHandlerLeaves_areNotThoseOfTheNextMessage(QueueDatabase database) {
    application(database, database, true)
        .withPropertyValues(NAMED, "rowqueue.worker.threads=1")
        .withBean(Leaving.class)
        .run(
            context -> {
              QueueTemplate queue = context.getBean(QueueTemplate.class);
              List.of("de", "fr", "ja").forEach(name -> queue.enqueue("leave", name));
              List<String> found = context.getBean(Leaving.class).found;
              Await.that("all are handled", SOON, () -> found.size() == 3);
              assertThat(found).containsOnly("null null null");
            });
  }

  @Test
  void registries_areThoseOfTheApplication(QueueDatabase database) {
    database.execute(Applications.ITEM);
    application(database, database, true)
        .withPropertyValues(NAMED)
        .withUserConfiguration(Observed.class)
        .run(
            context -> {
              context.getBean(QueueTemplate.class).enqueue("write", "a");
              List<String> observed = context.getBean(Observed.class).names;
              Await.that("both attempts", SOON, () -> observed.size() == 2);
              assertThat(observed)
                  .containsExactly(
                      "write process, topic write, failed", "write process, topic write, ended");
              MeterRegistry meters = context.getBean(MeterRegistry.class);
              Await.that(
                  "the handling is counted",
                  SOON,
                  () ->
                      meters
                              .get("rowqueue.settlements")
                              .tags("topic", "write", "outcome", "acked")
                              .counter()
                              .count()
                          == 1);
            });
    database.execute("DROP TABLE item");
  }

  private static ApplicationContextRunner application(
      QueueDatabase first, QueueDatabase second, boolean primary) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RowQueueAutoConfiguration.class))
        .withBean(
            "first",
            DataSource.class,
            first::dataSource,
            definition -> definition.setPrimary(primary))
        .withBean("second", DataSource.class, second::dataSource)
        .withBean(
            "firstTransactions",
            JdbcTransactionManager.class,
            () -> new JdbcTransactionManager(first.dataSource()),
            definition -> definition.setPrimary(primary))
        .withBean(
            "secondTransactions",
            JdbcTransactionManager.class,
            () -> new JdbcTransactionManager(second.dataSource()))
        .withBean(Handlers.class, () -> new Handlers(second.dataSource()));
  }
}
