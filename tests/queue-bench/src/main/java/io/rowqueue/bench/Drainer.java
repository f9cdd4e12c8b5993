package io.rowqueue.bench;

import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

interface Drainer extends Contender {

  /** Puts so many messages into the queue, which is empty; not measured. */
  void fill(int messages) throws Exception;

  /**
   * Handles all of them, tells {@code progress} of each, and of the moment when none is left; then
   * cleans up, which is not measured, and returns.
   */
  void drain(Progress progress) throws Exception;

  @Override
  default Effort round(Meter meter, int messages) throws Exception {
    fill(messages);
    Progress progress = new Progress(meter, messages, messages / 10);
    drain(progress);
    return progress.effort();
  }

  /**
   * How far a drain has come. It is measured from the moment when some are done, so that no
   * contender's start counts, to the moment when nothing is left. Thread-safe.
   */
  final class Progress {
    private static final int LONGEST_MINUTES = 10;

    private final Meter meter;
    private final int messages;
    private final int head;
    private final AtomicInteger done = new AtomicInteger();
    private final CountDownLatch all = new CountDownLatch(1);
    private volatile @Nullable Mark from;
    private volatile @Nullable Effort effort;

    /** Measured from the moment when {@code head} of so many messages are done. */
    Progress(Meter meter, int messages, int head) {
      this.meter = meter;
      this.messages = messages;
      this.head = head;
    }

    int messages() {
      return messages;
    }

    /** So many more are done, or will be with the next COMMIT. */
    void done(int count) {
      int now = done.addAndGet(count);
      if (now >= head && now - count < head) {
        from = meter.mark();
      }
      if (now >= messages) {
        all.countDown();
      }
    }

    /** Waits until all are done, if not yet committed. */
    void awaitAll() throws InterruptedException {
      if (!all.await(LONGEST_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException("%d of %d are done".formatted(done.get(), messages));
      }
    }

    /** Nothing is left; whatever is done from now on is no part of it. */
    void finish() {
      Mark begin = from;
      if (begin == null || done.get() != messages) {
        throw new IllegalStateException(
            "%d were done of %d; if more, some of them twice".formatted(done.get(), messages));
      }
      effort = meter.since(begin, messages - head);
    }

    Effort effort() {
      return Objects.requireNonNull(effort, "the drain has not finished");
    }
  }

  /** What a handler does. */
  enum Effect {
    NONE,
    INSERT,
    WAIT;

    static final int MILLIS = 10;

    void prepare(QueueDatabase database) {
      if (this == INSERT) {
        database.execute(
            "CREATE TABLE IF NOT EXISTS effect (id BIGINT AUTO_INCREMENT PRIMARY KEY, number INT"
                + " NOT NULL, at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))");
      }
    }

    /** Happens on {@code connection}, and is committed by whoever owns that. */
    void happen(Connection connection, int number) throws SQLException {
      if (this == WAIT) {
        Stage.pause(MILLIS / 1e3);
      }
      if (this != INSERT) {
        return;
      }
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effect (number) VALUES (?)")) {
        insert.setInt(1, number);
        insert.executeUpdate();
      }
    }
  }

  /** One that empties RowQueue's own table. */
  abstract class OfQueue implements Drainer {
    final QueueDatabase database;
    final QueueTable table;
    private final String name;

    OfQueue(String name, QueueTable table) {
      this.name = name;
      this.database = table.database;
      this.table = table;
    }

    @Override
    public final String name() {
      return name;
    }

    @Override
    public void fill(int messages) throws Exception {
      table.fill(messages);
    }
  }
}
