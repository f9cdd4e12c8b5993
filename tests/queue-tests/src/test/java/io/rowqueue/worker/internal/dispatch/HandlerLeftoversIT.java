package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** What a handler leaves behind in its session or thread does not reach the next message. */
@QueueTest
class HandlerLeftoversIT {

  private static final String STATE =
      "SELECT CONCAT_WS(' ', @v, @@session.foreign_key_checks, @@session.sql_mode,"
          + " @@session.time_zone, @@session.sql_select_limit, IS_FREE_LOCK('leftover'),"
          + " @@session.unique_checks)";

  private static final int MESSAGES = 5;

  private final List<String> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  static Stream<Arguments> leftovers() {
    return Stream.of(
        Arguments.of("SET @v = 1"),
        Arguments.of("SELECT @v := 1"),
        Arguments.of("SELECT 1 INTO @v"),
        Arguments.of("SET SESSION sql_mode = ''"),
        Arguments.of("SET foreign_key_checks = 0, unique_checks = 0"),
        Arguments.of("SET time_zone = '+05:00'"),
        Arguments.of("SET sql_select_limit = 1"),
        Arguments.of("SELECT GET_LOCK('leftover', 0)"),
        Arguments.of("DO GET_LOCK('leftover', 0)"),
        Arguments.of("PREPARE p FROM 'SELECT 1'"),
        Arguments.of("CREATE TEMPORARY TABLE leftover (id INT)"));
  }

  @ParameterizedTest
  @MethodSource("leftovers")
  void session_isAsBefore_whenTheNextMessageIsHandled(String leftover, QueueDatabase database) {
    handle(database, HandlerSettings.defaults(), context -> execute(context, leftover));
    assertThat(seen).hasSize(MESSAGES).containsOnly(seen.get(0));
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  /** Those that share a commit share its session: it ends with the one that changes it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void session_ofASharedCommit_isAsBeforeForItsNeighbours(boolean fails, QueueDatabase database) {
    handle(
        database,
        HandlerSettings.defaults().withSharedCommit().withMaxAttempts(1),
        context -> {
          context.transaction().execute("SET foreign_key_checks = 0");
          if (fails) {
            throw new IllegalStateException("after its SET");
          }
        });
    assertThat(seen.stream().distinct()).hasSize(1);
    assertThat(database.count(Orders.DEAD)).isEqualTo(fails ? 2 : 0);
  }

  /** The driver limits the session for it, and then sets what the server gives new sessions. */
  @Test
  void session_afterMaxRows_isAsBefore(QueueDatabase database) {
    handle(
        database,
        HandlerSettings.defaults(),
        context -> {
          try (Statement statement = context.connection().createStatement()) {
            statement.setMaxRows(1);
            statement.executeQuery("SELECT 1 UNION ALL SELECT 2").close();
          }
        });
    assertThat(seen).containsOnly(seen.get(0));
  }

  /** As with lower_case_table_names=1, where the driver spells it as the URL does. */
  @Test
  void session_inADatabaseThatTheDriverSpellsOtherwise_mayBeChanged(QueueDatabase database) {
    String spelled = database.name().toUpperCase(Locale.ROOT);
    UnaryOperator<DataSource> spelling =
        pool ->
            new FreshConnections(
                () -> {
                  Connection real = pool.getConnection();
                  return OddConnections.of(
                      (method, arguments) ->
                          method.getName().equals("getCatalog")
                              ? spelled
                              : method.invoke(real, arguments));
                });
    Orders.enqueue(database, 0);
    try (TestWorker worker =
        TestWorker.startOver(
            database,
            spelling,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  execute(context, "SET @v = 1");
                  Orders.write(order, context);
                },
                HandlerSettings.defaults().withMaxAttempts(1)))) {
      Orders.awaitNoneLeft(database);
    }
    Orders.assertHandled(database, 1, Set.of());
  }

  @Test
  void use_isRefused_andTheNextMessageStaysInItsDatabase(QueueDatabase database) {
    handle(
        database,
        HandlerSettings.defaults().withMaxAttempts(1),
        context -> execute(context, "USE information_schema"));
    assertThat(seen).hasSize(MESSAGES);
    assertThat(database.strings("SELECT detail FROM queue_dead_letter"))
        .hasSize(2)
        .allMatch(detail -> detail.contains("USE is refused inside a handler"));
  }

  @Test
  void thread_isAsBefore_whenTheNextMessageIsHandled(QueueDatabase database) {
    handle(
        database,
        HandlerSettings.defaults(),
        context -> {
          Thread thread = Thread.currentThread();
          thread.setName("mine");
          thread.setContextClassLoader(null);
          MDC.clear();
          MDC.put("tenant", "7");
        });
    assertThat(seen).containsOnly(seen.get(0));
  }

  @Test
  void logContext_ofTheWorkersOwnLines_namesTheMessage(QueueDatabase database) {
    try (CapturedLog log = CapturedLog.of("io.rowqueue")) {
      handle(
          database,
          HandlerSettings.defaults(),
          context -> {
            MDC.clear();
            MDC.put("topic", "another");
            throw new PermanentFailure("with a context of its own");
          });
      List<String> workers = database.strings("SELECT DISTINCT worker FROM queue_attempt");
      assertThat(log.contexts("moved to the dead-letter queue"))
          .filteredOn(context -> workers.contains(context.get("worker"))) // tests run at once
          .hasSize(2)
          .allMatch(context -> "order".equals(context.get("topic")))
          .extracting(context -> context.get("message"))
          .isEqualTo(
              database.strings("SELECT CAST(id AS CHAR) FROM queue_dead_letter ORDER BY id"));
    }
  }

  /** For example if memory is short. */
  @Test
  void log_thatFails_isNoFailureOfTheHandling(QueueDatabase database) {
    AtomicInteger failed = new AtomicInteger();
    AppenderBase<ILoggingEvent> failing =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            IThrowableProxy shown = event.getThrowableProxy();
            if (shown != null && "not to be logged".equals(shown.getMessage())) {
              failed.incrementAndGet();
              throw new OutOfMemoryError("test");
            }
          }
        };
    Logger logger = (Logger) LoggerFactory.getLogger("io.rowqueue");
    failing.start();
    logger.addAppender(failing);
    try (CapturedLog log = CapturedLog.of("io.rowqueue")) {
      handle(
          database,
          HandlerSettings.defaults(),
          context -> {
            throw new PermanentFailure("not to be logged");
          });
      assertThat(failed).hasValue(2);
      assertThat(database.count(Orders.DEAD)).isEqualTo(2);
      assertThat(log.messages())
          .contains(
              "a io.rowqueue.handler.PermanentFailure could not be logged: class"
                  + " java.lang.OutOfMemoryError")
          .noneMatch(line -> line.contains("was abandoned"));
    } finally {
      logger.detachAppender(failing);
    }
  }

  /** Each message tells what it sees; those with odd numbers do {@code leaving} then. */
  private void handle(QueueDatabase database, HandlerSettings settings, Leaving leaving) {
    Orders.enqueueAll(database, MESSAGES);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (order.number() % 2 == 0) {
                    // The server releases it a moment after its connection was closed.
                    Await.until(
                        "the lock is free",
                        Orders.SOON,
                        () -> database.count("SELECT IS_FREE_LOCK('leftover')"),
                        free -> free == 1);
                  }
                  seen.add(state(context));
                  if (order.number() % 2 == 1) {
                    leaving.leave(context);
                  }
                  Orders.write(order, context);
                },
                settings))) {
      Orders.awaitNoneLeft(database);
    }
  }

  private static void execute(HandlerContext context, String sql) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute(sql);
    }
  }

  private interface Leaving {
    void leave(HandlerContext context) throws Exception;
  }

  private static String state(HandlerContext context) throws SQLException {
    Thread thread = Thread.currentThread();
    try (Statement statement = context.connection().createStatement();
        ResultSet row = statement.executeQuery(STATE)) {
      row.next();
      return String.join(
          " ",
          row.getString(1),
          thread.getName(),
          String.valueOf(thread.getContextClassLoader()),
          String.valueOf(MDC.get("tenant")),
          MDC.get("topic"));
    }
  }
}
