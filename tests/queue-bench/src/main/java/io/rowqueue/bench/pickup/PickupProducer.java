package io.rowqueue.bench.pickup;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.tests.process.Child;
import io.rowqueue.wakeup.Ring;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * The producer's process of {@link Pickup}: a transaction on a connection of its own, and then a
 * ring over a pool, by turns for the worker and for the bare claimer.
 */
final class PickupProducer {

  static final String QUEUE = "queue";
  static final String BARE = "bare";

  private static final long LEAST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MOST_PAUSE = TimeUnit.MILLISECONDS.toNanos(40);

  private final MessageProducer producer = MessageProducer.create();
  private final Connection connection;
  private final List<String> commits = new ArrayList<>();

  private PickupProducer(Connection connection) {
    this.connection = connection;
  }

  /** With the queue's URL and the bare claimer's connection. */
  public static void main(String[] arguments) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[0]);
    config.setMaximumPoolSize(2);
    try (HikariDataSource pool = new HikariDataSource(config);
        Connection connection = DriverManager.getConnection(arguments[0])) {
      connection.setAutoCommit(false);
      Child.ready("ready");
      new PickupProducer(connection).run(pool, Long.parseLong(arguments[1]));
    }
    System.exit(0);
  }

  private void run(DataSource pool, long listener) throws SQLException {
    Ring ring = Rings.over(pool);
    pause();
    for (int number = 0; number < Pickup.WARM_UP + Pickup.SAMPLES; number++) {
      String topic = PickupWorker.topic(number);
      commit(topic, QUEUE, number);
      ring.ring(topic);
      pause();
      commit(BARE, BARE, number);
      wake(pool, listener);
      pause();
    }
    // What was rung for last is picked up before anybody is told to end.
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
    commits.forEach(System.out::println);
  }

  private void commit(String topic, String kind, int number) throws SQLException {
    producer.enqueue(connection, NewMessage.of(topic, new Numbered(number)));
    connection.commit();
    commits.add(kind + " " + number + " " + System.nanoTime());
  }

  private static void wake(DataSource pool, long listener) throws SQLException {
    try (Connection other = pool.getConnection();
        Statement statement = other.createStatement()) {
      statement.execute("KILL QUERY " + listener);
    }
  }

  private static void pause() {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LEAST_PAUSE, MOST_PAUSE));
  }
}
