package io.rowqueue.proof.bench.enqueue;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.proof.bench.contest.Bare;
import io.rowqueue.proof.bench.contest.Contender;
import io.rowqueue.proof.bench.contest.Threads;
import io.rowqueue.proof.bench.measure.Effort;
import io.rowqueue.proof.bench.measure.Meter;
import io.rowqueue.proof.bench.measure.Meter.Mark;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** One message a commit, on several threads, over a pool as a team has one. */
final class Commits implements Contender {

  private final String name;
  private final QueueDatabase database;
  private final HikariDataSource pool;
  private final int threads;
  private final One one;

  private Commits(String name, QueueDatabase database, int threads, One one) {
    this.name = name;
    this.database = database;
    this.pool = Bare.pool(database, threads);
    this.threads = threads;
    this.one = one;
  }

  /** The floor: INSERT and COMMIT of bytes that are ready. */
  static Contender floor(QueueDatabase database, int threads, Payloads payloads) {
    return new Commits(
        "floor: INSERT, COMMIT",
        database,
        threads,
        pool -> {
          try (Connection connection = pool.getConnection();
              PreparedStatement insert =
                  connection.prepareStatement(
                      "INSERT INTO queue_message (topic, payload) VALUES (?, ?)")) {
            insert.setString(1, Payloads.TOPIC);
            insert.setBytes(2, payloads.bytes());
            insert.executeUpdate();
            connection.commit();
          }
        });
  }

  /** RowQueue in the caller's transaction, which nobody rings for. */
  static Contender producer(QueueDatabase database, int threads, Payloads payloads) {
    MessageProducer producer = MessageProducer.create();
    return new Commits(
        "RowQueue, in the caller's transaction",
        database,
        threads,
        pool -> {
          try (Connection connection = pool.getConnection()) {
            producer.enqueue(connection, payloads.message());
            connection.commit();
          }
        });
  }

  /** RowQueue in a transaction of its own, and the ring after it. */
  static Contender ringing(QueueDatabase database, int threads, Payloads payloads) {
    MessageProducer producer = MessageProducer.create();
    return new Commits(
        "RowQueue, its own transaction and the ring",
        database,
        threads,
        pool -> producer.enqueue(pool, payloads.message()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Effort round(Meter meter, int messages) throws Exception {
    AtomicInteger next = new AtomicInteger();
    try {
      Mark from = meter.mark();
      Threads.run(
          threads,
          () -> {
            while (next.getAndIncrement() < messages) {
              one.commit(pool);
            }
            return true;
          });
      return meter.since(from, messages);
    } finally {
      database.execute("DELETE FROM queue_message");
    }
  }

  @Override
  public void close() {
    pool.close();
  }

  /** Enqueues one message and commits. */
  private interface One {
    void commit(DataSource pool) throws SQLException;
  }
}
