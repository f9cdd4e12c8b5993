package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;

/** The floor of bulks: inserts of many rows, of bytes that are ready, in one transaction. */
final class BulkFloor implements Contender {

  private static final int MOST_ROWS = 1_000;
  private static final int MOST_BYTES = 1 << 20;

  private final QueueDatabase database;
  private final Payloads payloads;
  private final int rows;

  BulkFloor(QueueDatabase database, Payloads payloads) {
    this.database = database;
    this.payloads = payloads;
    this.rows = Math.min(MOST_ROWS, MOST_BYTES / payloads.bytes().length);
  }

  @Override
  public String name() {
    return "floor: INSERT of %,d rows".formatted(rows);
  }

  @Override
  public Effort round(Meter meter, int messages) throws SQLException {
    try (Connection connection = Bare.connect(database)) {
      Mark from = meter.mark();
      int left = messages;
      while (left > 0) {
        int some = Math.min(left, rows);
        insert(connection, some);
        left -= some;
      }
      connection.commit();
      return meter.since(from, messages);
    } finally {
      database.execute("DELETE FROM queue_message");
    }
  }

  private void insert(Connection connection, int some) throws SQLException {
    String sql =
        "INSERT INTO queue_message (topic, payload) VALUES "
            + String.join(",", Collections.nCopies(some, "(?,?)"));
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int row = 0; row < some; row++) {
        insert.setString(2 * row + 1, Payloads.TOPIC);
        insert.setBytes(2 * row + 2, payloads.bytes());
      }
      insert.executeUpdate();
    }
  }
}
