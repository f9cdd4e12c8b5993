package io.rowqueue.bench;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.counter.CounterException;
import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

final class Counters {

  private Counters() {}

  static void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Takers row = new Takers("one row", database, new OneRow());
    Takers slots = new Takers("SlottedCounter", database, new Slotted());
    Takers published = new Takers("INSERT ... SELECT ... FOR UPDATE", database, new Published());
    Standing end =
        stage.contest(
            "a hot value, 16 writers, a commit each",
            stage.messages(10_000),
            row,
            slots,
            published);
    stage.chart("counters", end.chart());
    stage.table(errors(List.of(row, slots, published)));
    stage.atMost("errors", (double) slots.errors(), 0);
    stage.atMost("units astray", (double) slots.astray(), 0);
    stage.atLeast("rate to one row's", end.rate(slots, row), 1);
  }

  private static Table errors(List<Takers> all) {
    Table table = new Table("Transactions that failed and ran again", "", "failed", "units astray");
    all.forEach(
        each ->
            table.row(each.name(), "%,d".formatted(each.errors()), "%,d".formatted(each.astray())));
    return table;
  }

  /** A way to keep a hot value. Thread-safe. */
  interface Way {

    /** Makes the value anew, spread as evenly as it can be. */
    void make(QueueDatabase database, long amount) throws SQLException;

    /** Takes one; false if there is none. */
    boolean take(Connection transaction) throws SQLException;

    void add(Connection transaction, long amount) throws SQLException;

    long sum(QueueDatabase database);
  }

  /** What most teams begin with: one row, which every writer waits for. */
  static final class OneRow implements Way {

    @Override
    public void make(QueueDatabase database, long amount) {
      database.execute(
          "DROP TABLE IF EXISTS one_row",
          "CREATE TABLE one_row (id INT PRIMARY KEY, amount BIGINT NOT NULL)",
          "INSERT INTO one_row VALUES (1, " + amount + ")");
    }

    @Override
    public boolean take(Connection transaction) throws SQLException {
      try (PreparedStatement update =
          transaction.prepareStatement(
              "UPDATE one_row SET amount = amount - 1 WHERE id = 1 AND amount >= 1")) {
        return update.executeUpdate() == 1;
      }
    }

    @Override
    public void add(Connection transaction, long amount) throws SQLException {
      try (PreparedStatement update =
          transaction.prepareStatement("UPDATE one_row SET amount = amount + ? WHERE id = 1")) {
        update.setLong(1, amount);
        update.executeUpdate();
      }
    }

    @Override
    public long sum(QueueDatabase database) {
      return database.count("SELECT amount FROM one_row");
    }
  }

  /**
   * The form that is often published: slots that may be below zero, taken from in one statement
   * that locks and sums them all.
   */
  static final class Published implements Way {

    private static final int SLOTS = 10;
    private static final String CHANGE =
        " ON DUPLICATE KEY UPDATE stock = published.stock + VALUES(stock)";

    @Override
    public void make(QueueDatabase database, long amount) {
      database.execute(
          "DROP TABLE IF EXISTS published",
          "CREATE TABLE published (id BIGINT AUTO_INCREMENT PRIMARY KEY, sku INT NOT NULL, slot INT"
              + " NOT NULL, stock BIGINT NOT NULL, UNIQUE KEY (sku, slot))",
          "INSERT INTO published (sku, slot, stock) VALUES (1, 0, " + amount + ")");
    }

    @Override
    public boolean take(Connection transaction) throws SQLException {
      try (PreparedStatement insert =
          transaction.prepareStatement(
              "INSERT INTO published (sku, slot, stock) SELECT enough.sku, ?, -1 FROM (SELECT sku,"
                  + " SUM(stock) AS there FROM published WHERE sku = 1 GROUP BY sku HAVING"
                  + " SUM(stock) >= 1 FOR UPDATE) AS enough"
                  + CHANGE)) {
        insert.setInt(1, slot());
        return insert.executeUpdate() > 0;
      }
    }

    @Override
    public void add(Connection transaction, long amount) throws SQLException {
      try (PreparedStatement insert =
          transaction.prepareStatement(
              "INSERT INTO published (sku, slot, stock) VALUES (1, ?, ?)" + CHANGE)) {
        insert.setInt(1, slot());
        insert.setLong(2, amount);
        insert.executeUpdate();
      }
    }

    private static int slot() {
      return ThreadLocalRandom.current().nextInt(SLOTS);
    }

    @Override
    public long sum(QueueDatabase database) {
      return database.count("SELECT SUM(stock) FROM published");
    }
  }

  static final class Slotted implements Way {

    private static final String NAME = "bench";

    private final SlottedCounter counter = SlottedCounter.create();

    @Override
    public void make(QueueDatabase database, long amount) throws SQLException {
      try (Connection connection = database.connect()) {
        connection.setAutoCommit(false);
        counter.delete(connection, NAME);
        counter.make(connection, NAME, SlottedCounter.SLOTS);
        counter.add(connection, NAME, amount);
        connection.commit();
      }
    }

    @Override
    public boolean take(Connection transaction) {
      return counter.take(transaction, NAME, 1);
    }

    @Override
    public void add(Connection transaction, long amount) {
      counter.add(transaction, NAME, amount);
    }

    @Override
    public long sum(QueueDatabase database) {
      return database.count("SELECT SUM(amount) FROM queue_counter");
    }
  }

  /**
   * Sixteen threads that take one and commit; every hundredth transaction adds a hundred instead,
   * so that there is always enough. A transaction that fails is run again, as its caller would.
   */
  static final class Takers implements Contender {

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
}
