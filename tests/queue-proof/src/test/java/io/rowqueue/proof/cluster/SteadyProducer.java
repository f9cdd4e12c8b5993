package io.rowqueue.proof.cluster;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.tests.process.Step;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A team's program that enqueues without end, in transactions of its own making, and rides out
 * fail-over as {@code docs/operations/high-availability.md} tells it to: a failure that passes
 * repeats the whole transaction, whose unique key tells whether it had committed after all.
 */
final class SteadyProducer implements AutoCloseable {

  private static final int AT_ONCE = 5;
  private static final int BACKLOG = 1_000;
  private static final int BETWEEN_LOOKS = 20;
  private static final long PAUSE_MILLIS = 100;

  private final HikariDataSource pool;
  private final MessageProducer producer = MessageProducer.create();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  private SteadyProducer(String url, String name) {
    this.pool = pool(url);
    this.thread = new Thread(() -> run(name), name);
    thread.setUncaughtExceptionHandler((dead, e) -> failure = e);
  }

  /** Starts one; the schema has the tables of {@code Books} and {@link #TABLE}. */
  static SteadyProducer start(String url, String name) {
    SteadyProducer started = new SteadyProducer(url, name);
    started.thread.start();
    return started;
  }

  /** The team's business rows: one for each transaction. */
  static final String TABLE =
      "CREATE TABLE placed (producer VARCHAR(20) NOT NULL, number INT NOT NULL, messages INT NOT"
          + " NULL, PRIMARY KEY (producer, number))";

  static HikariDataSource pool(String url) {
    WritableHosts hosts = new WritableHosts(url);
    HikariConfig config = new HikariConfig();
    config.setDataSource(hosts.dataSource(Properties::new));
    config.setMaximumPoolSize(2);
    config.setAutoCommit(false);
    config.setConnectionTimeout(2_000);
    config.setInitializationFailTimeout(-1);
    config.setExceptionOverride(new EvictWhatIsReadOnly());
    HikariDataSource pool = new HikariDataSource(config);
    hosts.onMove(() -> pool.getHikariPoolMXBean().softEvictConnections());
    return pool;
  }

  private void run(String name) {
    for (int number = 1; stop.getCount() > 0; number++) {
      place(name, number);
      if (number % BETWEEN_LOOKS == 0) {
        leaveRoom();
      }
    }
  }

  private void place(String name, int number) {
    while (true) {
      try (Connection connection = pool.getConnection()) {
        place(connection, name, number);
        return;
      } catch (SQLIntegrityConstraintViolationException e) {
        // An earlier try had committed, and only its answer was lost.
        return;
      } catch (SQLException | RuntimeException e) {
        if (!TransientFailures.isTransient(e)) {
          throw new IllegalStateException("transaction " + number, e);
        }
        pause();
      }
    }
  }

  private void place(Connection connection, String name, int number) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO placed VALUES ('%s', %d, %d)".formatted(name, number, AT_ONCE));
      List<MessageId> ids =
          producer.enqueueAll(
              connection,
              Collections.nCopies(AT_ONCE, NewMessage.of(Step.TOPIC, new Step(Step.What.SUCCEED))));
      statement.execute(
          "INSERT INTO enqueued (message_id) VALUES "
              + ids.stream().map(id -> "(" + id + ")").collect(Collectors.joining(", ")));
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      rollBack(connection);
      throw e;
    }
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // The pool has given the connection up, and the server rolls back.
    }
  }

  /** The workers are to have something to do at any time, and not more. */
  private void leaveRoom() {
    while (stop.getCount() > 0 && waiting() > BACKLOG) {
      pause();
    }
  }

  private int waiting() {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM queue_message")) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      return 0;
    }
  }

  private void pause() {
    try {
      stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends after the transaction that is under way has committed. */
  @Override
  public void close() {
    stop.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pool.close();
    Throwable thrown = failure;
    if (thrown != null) {
      throw new AssertionError("the producer gave up", thrown);
    }
  }

  /** What a team's pool needs beside {@link WritableHosts}. */
  private static final class EvictWhatIsReadOnly implements SQLExceptionOverride {

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException error) {
      return TransientFailures.isReadOnly(error)
          ? SQLExceptionOverride.Override.MUST_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }
}
