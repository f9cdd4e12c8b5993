package io.rowqueue.internal.wakeup;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.MessageProducer;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.CountedStatements;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(OwnThreads.class)
@QueueTest
class NotificationFailuresIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final MessageProducer producer = MessageProducer.create();
  private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

  private static CapturedLog log() {
    return CapturedLog.of("io.rowqueue.internal.listen");
  }

  private Module orders() {
    return Handlers.bind("order", (order, context) -> handled.add(order.number()));
  }

  @Tag("ci")
  @Test
  void accountWithoutPrivileges_enqueuesAndSaysOnceThatItCannotNotify(QueueDatabase database) {
    String user = database.name().substring(0, 12);
    database.execute(
        "CREATE USER '%s'@'%%' IDENTIFIED BY 'p'".formatted(user),
        "GRANT SELECT, INSERT ON %s.* TO '%s'@'%%'".formatted(database.name(), user));
    try (CapturedLog log = log();
        TestWorker worker =
            TestWorker.start(
                database, config -> config.withPollInterval(Duration.ofSeconds(1)), orders())) {
      WakeupIT.awaitAsleep(database, 1);
      String url = database.url().replaceFirst("\\?.*", "?user=" + user + "&password=p");
      MysqlDataSource poor = new MysqlDataSource();
      poor.setURL(url);
      AtomicInteger rounds = new AtomicInteger();
      Await.that(
          "the producer says so",
          Duration.ofSeconds(40),
          () -> {
            int round = rounds.incrementAndGet();
            producer.enqueue(poor, WakeupIT.order(round));
            Await.that("order " + round, SOON, () -> handled.size() == round);
            return !log.messages().isEmpty();
          });
      producer.enqueue(poor, WakeupIT.order(0));
      Await.that("the last order", SOON, () -> handled.contains(0));
      assertThat(WakeupIT.wakes(worker)).isZero();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("grant it PROCESS and CONNECTION_ADMIN");
    } finally {
      database.execute("DROP USER '%s'@'%%'".formatted(user));
    }
  }

  @Test
  void producerBehindAProxyThatRenumbers_notifiesNobodyAndSaysSoOnce(QueueDatabase database) {
    try (CapturedLog log = log();
        TestWorker worker =
            TestWorker.start(
                database, config -> config.withPollInterval(Duration.ofSeconds(1)), orders())) {
      WakeupIT.awaitAsleep(database, 1);
      CountedStatements kills = CountedStatements.kills();
      DataSource proxied = kills.over(renumbering(database));
      for (int round = 1; round <= 3; round++) {
        producer.enqueue(proxied, WakeupIT.order(round));
        int expected = round;
        Await.that("order " + round, SOON, () -> handled.size() == expected);
      }
      assertThat(kills.count()).isZero();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("a proxy between this producer");
    }
  }

  /** What a proxy's greeting does: the driver believes in another id than the server's. */
  private static DataSource renumbering(QueueDatabase database) {
    return (DataSource)
        Proxy.newProxyInstance(
            NotificationFailuresIT.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getConnection" ->
                      answering(
                          Connection.class,
                          database.connect(),
                          "unwrap",
                          NotificationFailuresIT::stranger);
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static Object stranger() {
    return answering(JdbcConnection.class, null, "getId", () -> -1L);
  }

  private static <T> T answering(Class<T> type, @Nullable T real, String name, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals(name)) {
                return answer.get();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private interface Answer {
    Object get();
  }
}
