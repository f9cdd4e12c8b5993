package io.rowqueue.bench.counter;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.counter.CounterException;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sixteen threads that take one and commit; every hundredth transaction adds a hundred instead, so
 * that there is always enough. A transaction that fails is run again, as its caller would.
 */
final class Takers implements Contender {

  private static final int THREADS = 16;
  private static final int EVERY = 100;
  private static final long AMOUNT = 10_000;

  private final String name;
  private final QueueDatabase database;
  private final Way way;
  private final HikariDataSource pool;
  private final AtomicLong errors = new AtomicLong();
  private long astray;

  Takers(String name, QueueDatabase database, Way way) {
    this.name = name;
    this.database = database;
    this.way = way;
    this.pool = Bare.pool(database, THREADS);
  }

  @Override
  public String name() {
    return name;
  }

  /** How many transactions failed. */
  long errors() {
    return errors.get();
  }

  /** By how much the sums missed what was committed. */
  long astray() {
    return astray;
  }

  @Override
  public Effort round(Meter meter, int messages) throws Exception {
    way.make(database, AMOUNT);
    AtomicInteger next = new AtomicInteger();
    AtomicLong expected = new AtomicLong(AMOUNT);
    Mark from = meter.mark();
    Threads.run(
        THREADS,
        () -> {
          int turn;
          while ((turn = next.incrementAndGet()) <= messages) {
            expected.addAndGet(change(turn % EVERY == 0 ? EVERY : -1));
          }
          return true;
        });
    Effort effort = meter.since(from, messages);
    astray += Math.abs(expected.get() - way.sum(database));
    return effort;
  }

  /** Until it has succeeded; gives {@code delta} back. */
  private long change(long delta) throws SQLException {
    while (true) {
      try (Connection connection = pool.getConnection()) {
        try {
          if (delta > 0) {
            way.add(connection, delta);
          } else if (!way.take(connection)) {
            throw new IllegalStateException(name + " refused, though there was enough");
          }
          connection.commit();
          return delta;
        } catch (SQLException | CounterException e) {
          connection.rollback();
          errors.incrementAndGet();
        }
      }
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
