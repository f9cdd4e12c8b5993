package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Where a message's id comes from, with 16 producers that commit each message. */
public final class Ids implements Workload {

  private static final int THREADS = 16;
  private static final int MESSAGES = 10_000;

  /** Below the milliseconds of a time-ordered id: a number that goes round. */
  private static final int NUMBER_BITS = 20;

  private static final AtomicInteger NUMBER = new AtomicInteger();

  @Override
  public String name() {
    return "ids";
  }

  @Override
  public String what() {
    return "AUTO_INCREMENT, UUID_SHORT and time-ordered ids at 16 producers";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    Contender auto = new Inserts(database, "AUTO_INCREMENT", "", "", false);
    Contender uuid = new Inserts(database, "UUID_SHORT()", "id, ", "UUID_SHORT(), ", false);
    Contender time = new Inserts(database, "time-ordered, from the producer", "id, ", "?, ", true);
    Standing end =
        new Contest(stage, "ids", "ids, 16 producers, a commit each", stage.messages(MESSAGES))
            .run(List.of(auto, uuid, time));
    stage.report().table(end.table(auto, Load.average()));
    stage.report().chart(stage.file("ids"), end.chart(stage.server()));
  }

  /** Into a copy of the queue's table, with all its keys. */
  private record Inserts(
      QueueDatabase database, String name, String column, String value, boolean bound)
      implements Contender {

    private static final byte[] PAYLOAD = Payloads.of(200).bytes();

    @Override
    public Effort round(Meter meter, int messages) throws Exception {
      database.execute(
          "DROP TABLE IF EXISTS ids",
          "CREATE TABLE ids LIKE queue_message",
          bound || !column.isEmpty() ? "ALTER TABLE ids MODIFY id BIGINT NOT NULL" : "DO 0");
      AtomicInteger next = new AtomicInteger();
      Mark from = meter.mark();
      Threads.run(
          THREADS,
          () -> {
            insertAll(next, messages);
            return true;
          });
      return meter.since(from, messages);
    }

    private void insertAll(AtomicInteger next, int messages) throws SQLException {
      String sql =
          "INSERT INTO ids (" + column + "topic, payload) VALUES (" + value + "'bench', ?)";
      try (Connection connection = Bare.connect(database);
          PreparedStatement insert = connection.prepareStatement(sql)) {
        while (next.getAndIncrement() < messages) {
          if (bound) {
            insert.setLong(1, timeOrdered());
          }
          insert.setBytes(bound ? 2 : 1, PAYLOAD);
          insert.executeUpdate();
          connection.commit();
        }
      }
    }

    private static long timeOrdered() {
      return System.currentTimeMillis() << NUMBER_BITS
          | (NUMBER.getAndIncrement() & ((1 << NUMBER_BITS) - 1));
    }
  }
}
