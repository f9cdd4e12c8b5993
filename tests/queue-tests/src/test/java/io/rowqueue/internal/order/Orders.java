package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** The business of these tests: a handled order is a row of {@code handled}. */
public final class Orders {

  public static final Duration SOON = Duration.ofMinutes(2);
  public static final String HANDLED = "SELECT COUNT(*) FROM handled";
  public static final String DEAD = "SELECT COUNT(*) FROM queue_dead_letter";

  private Orders() {}

  public static void openBooks(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS handled (number INT NOT NULL, attempt INT NOT NULL)",
        "DELETE FROM handled");
  }

  public static MessageId enqueue(QueueDatabase database, int number) {
    return MessageProducer.create()
        .enqueue(database.dataSource(), NewMessage.of("order", new Order(number)));
  }

  public static void enqueueAll(QueueDatabase database, int count) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList());
  }

  public static TestWorker handledBy(QueueDatabase database, MessageHandler<Order> handler) {
    return handledBy(database, handler, HandlerSettings.defaults());
  }

  public static TestWorker handledBy(
      QueueDatabase database, MessageHandler<Order> handler, HandlerSettings settings) {
    return TestWorker.start(database, Handlers.bind("order", handler, settings));
  }

  public static TestWorker handledByOne(
      QueueDatabase database,
      MessageHandler<Order> handler,
      HandlerSettings settings,
      Module... more) {
    List<Module> modules = new ArrayList<>(List.of(more));
    modules.add(Handlers.bind("order", handler, settings));
    return TestWorker.start(
        database, config -> config.withThreads(1), modules.toArray(Module[]::new));
  }

  /** Lets {@code worker} run until the queue is empty. */
  public static void drain(QueueDatabase database, TestWorker worker) {
    try (worker) {
      awaitNoneLeft(database);
    }
  }

  public static void drain(QueueDatabase database, MessageHandler<Order> handler) {
    drain(database, handledBy(database, handler));
  }

  public static void drain(
      QueueDatabase database, MessageHandler<Order> handler, HandlerSettings settings) {
    drain(database, handledBy(database, handler, settings));
  }

  public static void drainByOne(
      QueueDatabase database,
      MessageHandler<Order> handler,
      HandlerSettings settings,
      Module... more) {
    drain(database, handledByOne(database, handler, settings, more));
  }

  /** Lets {@code worker} run until there is one dead letter, which is there for {@code reason}. */
  public static void assertDies(QueueDatabase database, String reason, TestWorker worker) {
    try (worker) {
      assertThat(awaitDeadLetter(database)).isEqualTo(reason);
    }
  }

  public static void write(Order order, HandlerContext context) {
    context
        .transaction()
        .execute("INSERT INTO handled VALUES (?, ?)", order.number(), context.attempt());
  }

  /**
   * Meets a deadlock and goes on as if nothing were: the error as the server sends it, without the
   * second transaction that it takes.
   */
  public static void swallowDeadlock(HandlerContext context) throws SQLException {
    try (Statement statement = context.connection().createStatement()) {
      statement.execute("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213");
    } catch (SQLException e) {
      assertThat(e.getErrorCode()).isEqualTo(1213);
    }
  }

  /** Takes a claim away as a reap would, and counts it up as another worker's claim would. */
  public static void steal(QueueDatabase database, HandlerContext context) {
    database.execute(
        "UPDATE queue_message SET state = 0, lock_id = '', claim_number = claim_number + 1 WHERE id"
            + " = "
            + context.id());
  }

  public static void awaitDeaf(CountDownLatch end) {
    boolean over = false;
    while (!over) {
      try {
        end.await();
        over = true;
      } catch (InterruptedException e) {
        over = false;
      }
    }
  }

  public static void awaitCount(QueueDatabase database, String query, long expected) {
    awaitCount(database, query, expected, SOON);
  }

  public static void awaitCount(
      QueueDatabase database, String query, long expected, Duration longest) {
    Await.until(
        query + " should give " + expected,
        longest,
        () -> database.count(query),
        count -> count == expected);
  }

  /** What rests, since nobody could read it, is due now, again and again until {@code over}. */
  public static void awaitWithoutRests(QueueDatabase database, String what, BooleanSupplier over) {
    Await.that(
        what,
        Duration.ofMinutes(1),
        () -> {
          database.execute("UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) WHERE state = 2");
          return over.getAsBoolean();
        });
  }

  public static void awaitNoneLeftWithoutRests(QueueDatabase database) {
    awaitWithoutRests(
        database,
        "the queue is empty",
        () -> database.count("SELECT COUNT(*) FROM queue_message") == 0);
  }

  public static void awaitNoneLeft(QueueDatabase database) {
    awaitNoneLeft(database, SOON);
  }

  public static void awaitNoneLeft(QueueDatabase database, Duration longest) {
    Await.until(
        "the queue is empty",
        longest,
        () -> database.strings("SELECT CONCAT(id, ' in state ', state) FROM queue_message"),
        List::isEmpty);
  }

  /** The reason of the only dead letter, once there is one. */
  public static String awaitDeadLetter(QueueDatabase database) {
    awaitCount(database, DEAD, 1);
    return database.strings("SELECT reason FROM queue_dead_letter").get(0);
  }

  public static List<String> deadLetters(QueueDatabase database) {
    return database.strings(
        "SELECT CONCAT(CAST(JSON_EXTRACT(CONVERT(payload USING utf8mb4), '$.number') AS SIGNED),"
            + " ' ', reason, ' ', attempts) FROM queue_dead_letter ORDER BY id");
  }

  /** Every number below {@code count} but {@code without} was handled exactly once. */
  public static void assertHandled(QueueDatabase database, int count, Set<Integer> without) {
    assertThat(database.strings("SELECT number FROM handled ORDER BY number"))
        .containsExactlyElementsOf(
            IntStream.range(0, count)
                .filter(number -> !without.contains(number))
                .mapToObj(Integer::toString)
                .toList());
  }
}
