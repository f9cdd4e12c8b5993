package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.spring.shop.Order;
import io.rowqueue.spring.shop.Order.Then;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.spring.shop.Writer;
import io.rowqueue.spring.shop.Writer.Way;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Effects happen exactly once: each way to write, with each end of its transaction. */
class EffectsIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int HALTED = 9;

  @TempDir private static Path logs;
  private static final Map<Then, QueueDatabase> KILLED = new EnumMap<>(Then.class);
  private static QueueDatabase database;
  private static ConfigurableApplicationContext context;

  /** What is there after a cell's transactions. */
  private record Left(long items, long messages, long deadLetters) {}

  /** How an enqueuing transaction, or a handler's, ends. */
  private enum End {
    ENQUEUED_AND_COMMITTED(1, 1, 0) {
      @Override
      void run(Way way, String name) {
        context.getBean(Writer.class).writeAndEnqueue(way, name, false);
      }
    },
    ENQUEUED_AND_ROLLED_BACK(0, 0, 0) {
      @Override
      void run(Way way, String name) {
        Writer writer = context.getBean(Writer.class);
        assertThatThrownBy(() -> writer.writeAndEnqueue(way, name, true))
            .hasMessage("the service failed");
      }
    },
    HANDLED(1, 0, 0) {
      @Override
      void run(Way way, String name) {
        handle(new Order(name, way, Then.RETURN));
      }
    },
    EXCEPTION_AFTER_THE_WRITE(0, 0, 1) {
      @Override
      void run(Way way, String name) {
        handle(new Order(name, way, Then.THROW));
      }
    };

    private final long items;
    private final long messages;
    private final long deadLetters;

    End(long items, long messages, long deadLetters) {
      this.items = items;
      this.messages = messages;
      this.deadLetters = deadLetters;
    }

    Left expected() {
      return new Left(items, messages, deadLetters);
    }

    abstract void run(Way way, String name);

    private static void handle(Order order) {
      context.getBean(QueueTemplate.class).enqueue("order", order);
      Await.that(
          order.name() + " has ended", SOON, () -> left(database, order.name()).messages == 0);
    }
  }

  @BeforeAll
  static void start() {
    database = QueueDatabase.create();
    database.execute(Applications.ITEM);
    context =
        Applications.start(database, ShopApplication.class, 10, "spring.profiles.active=handlers");
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
    database.close();
    KILLED.values().forEach(QueueDatabase::close);
  }

  static Stream<Arguments> cells() {
    return Stream.of(Way.values())
        .flatMap(way -> Stream.of(End.values()).map(end -> Arguments.of(way, end)));
  }

  @ParameterizedTest
  @MethodSource("cells")
  void effect_happensWithTheTransaction(Way way, End end) {
    String name = name(way, end);
    end.run(way, name);
    assertThat(left(database, name)).isEqualTo(end.expected());
  }

  static Stream<Arguments> killedCells() {
    return Stream.of(Way.values())
        .flatMap(
            way ->
                Stream.of(Then.HALT_BEFORE_COMMIT, Then.HALT_AFTER_COMMIT)
                    .map(end -> Arguments.of(way, end)));
  }

  /** One process handles a message of each way at once, and one later one what it left. */
  @ParameterizedTest
  @MethodSource("killedCells")
  @Tag("ci")
  void effect_ofAKilledProcess_happensOnce(Way way, Then end) throws Exception {
    if (!KILLED.containsKey(end)) {
      KILLED.put(end, kill(end));
    }
    assertThat(left(KILLED.get(end), name(way, end))).isEqualTo(new Left(1, 0, 0));
  }

  private static QueueDatabase kill(Then end) throws Exception {
    QueueDatabase own = QueueDatabase.create();
    own.execute(Applications.ITEM);
    for (Way way : Way.values()) {
      own.queue().enqueue("order", new Order(name(way, end), way, end));
    }
    runApart(own);
    long committed = end == Then.HALT_AFTER_COMMIT ? Way.values().length : 0;
    assertThat(left(own, "")).isEqualTo(new Left(committed, Way.values().length - committed, 0));
    try (var next =
        Applications.start(own, ShopApplication.class, 10, "spring.profiles.active=handlers")) {
      Await.that(next + " handles the rest", SOON, () -> left(own, "").messages == 0);
    }
    return own;
  }

  private static String name(Way way, Enum<?> end) {
    return way + "/" + end;
  }

  /** Of items and messages with {@code name} in them. */
  private static Left left(QueueDatabase database, String name) {
    String payload = " WHERE CONVERT(payload USING utf8mb4) LIKE '%" + name + "%'";
    return new Left(
        database.count("SELECT COUNT(*) FROM item WHERE name LIKE '%" + name + "'"),
        database.count("SELECT COUNT(*) FROM queue_message" + payload),
        database.count("SELECT COUNT(*) FROM queue_dead_letter" + payload));
  }

  private static void runApart(QueueDatabase database) throws IOException, InterruptedException {
    Path log = logs.resolve("log");
    Process process =
        Applications.startApart(
            System.getProperty("java.class.path"),
            log,
            ShopApplication.class,
            Applications.arguments(
                database,
                10,
                "spring.profiles.active=handlers",
                "spring.main.web-application-type=none"));
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended").isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(HALTED);
    } finally {
      process.destroyForcibly();
    }
  }
}
