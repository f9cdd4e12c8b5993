package io.rowqueue.proof.fault;

import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The books of a counter that handlers add to and take from: what it holds is the sum of what they
 * have noted, each in its own transaction, and nobody gets what is not there. Thread-safe.
 */
final class CounterLedger implements Books {

  /** Fewer than handler threads, so that two meet in one slot now and then. */
  private static final int SLOTS = 4;

  private final QueueDatabase database;

  CounterLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE counted (message_id BIGINT NOT NULL PRIMARY KEY, amount BIGINT NOT NULL)");
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      boolean unused = SlottedCounter.create().make(connection, Deed.COUNTED, SLOTS);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException("the counter cannot be made", e);
    }
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(sumWrong());
    findings.addAll(belowZero());
    findings.addAll(countedApart());
    return findings;
  }

  @Override
  public List<String> unused() {
    String counted = "SELECT COUNT(*) FROM counted WHERE amount ";
    List<String> unused = new ArrayList<>();
    unused.addAll(Books.unusedIf(database, "adds to a counter", counted + "> 0"));
    unused.addAll(Books.unusedIf(database, "refused takes of a counter", counted + "= 0"));
    return unused;
  }

  private List<String> sumWrong() {
    return database.strings(
        "SELECT CONCAT('the counter holds ', held, ', and by the books ', booked) FROM"
            + " (SELECT (SELECT COALESCE(SUM(amount), 0) FROM queue_counter WHERE name = '%s')"
                .formatted(Deed.COUNTED)
            + " AS held, (SELECT COALESCE(SUM(amount), 0) FROM counted) AS booked) sums"
            + " WHERE held <> booked");
  }

  /**
   * The order of commits is not that of effects, which are written before they wait for a slot; but
   * who takes more than there can be must be refused always.
   */
  private List<String> belowZero() {
    return database.strings(
        "SELECT CONCAT('message ', message_id, ' took ', -amount, ', which was never there')"
            + " FROM counted WHERE amount <= -%d".formatted(Deed.NEVER_THERE)
            + " UNION ALL SELECT CONCAT('slot ', slot, ' of the counter holds ', amount)"
            + " FROM queue_counter WHERE amount < 0");
  }

  private List<String> countedApart() {
    return database.strings(
        "SELECT CONCAT('message ', f.message_id, ' took effect and has not counted') FROM effect f"
            + " JOIN enqueued e ON e.message_id = f.message_id AND e.topic = '%s'"
                .formatted(Deed.COUNTED)
            + " LEFT JOIN counted c ON c.message_id = f.message_id WHERE c.message_id IS NULL"
            + " UNION ALL SELECT CONCAT('message ', c.message_id, ' counted without effect')"
            + " FROM counted c LEFT JOIN effect f ON f.message_id = c.message_id"
            + " WHERE f.message_id IS NULL");
  }
}
