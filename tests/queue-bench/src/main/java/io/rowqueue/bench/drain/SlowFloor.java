package io.rowqueue.bench.drain;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Slow work in plain JDBC: each thread takes the next of the known ids, works, deletes it and
 * commits. Nobody who commits each message by itself keeps threads busier.
 */
final class SlowFloor implements AutoCloseable {

  private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

  private final QueueDatabase database;
  private final SlowWork work;
  private final List<Long> ids;
  private final AtomicInteger next = new AtomicInteger();
  private final ExecutorService pool;
  private final List<Future<?>> running = new ArrayList<>();
  private volatile boolean closed;

  private SlowFloor(QueueDatabase database, SlowWork work, int threads) {
    this.database = database;
    this.work = work;
    this.ids = new QueueTable(database).ids();
    this.pool = Executors.newFixedThreadPool(threads);
  }

  /** Runs until it is closed. */
  static SlowFloor start(QueueDatabase database, SlowWork work, int threads) {
    SlowFloor floor = new SlowFloor(database, work, threads);
    for (int i = 0; i < threads; i++) {
      floor.running.add(floor.pool.submit(floor::workUntilClosed));
    }
    return floor;
  }

  private Void workUntilClosed() throws SQLException {
    try (Connection connection = Bare.connect(database);
        PreparedStatement delete = connection.prepareStatement(DELETE)) {
      for (int i = next.getAndIncrement(); !closed; i = next.getAndIncrement()) {
        work.happen();
        delete.setLong(1, ids.get(i));
        delete.executeUpdate();
        connection.commit();
      }
    }
    return null;
  }

  /** A failure of any thread is thrown then. */
  @Override
  public void close() throws Exception {
    closed = true;
    pool.shutdown();
    for (Future<?> each : running) {
      each.get(30, TimeUnit.SECONDS);
    }
  }
}
