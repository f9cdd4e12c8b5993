package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * The books of a topic with a former name and of payloads of an old version: its handler reads what
 * the upcasters make of what was written, and none is set aside as unreadable. Thread-safe.
 */
final class ChangeLedger implements Books {

  private static final String NAMES = "('%s', '%s')".formatted(Deed.TODAY, Deed.FORMERLY);

  private final QueueDatabase database;

  ChangeLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE upcast (message_id BIGINT NOT NULL PRIMARY KEY, what VARCHAR(32) NOT NULL,"
            + " size INT NOT NULL)");
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(readWrong());
    findings.addAll(unread());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    unused.addAll(Books.unusedTopic(database, "former names", Deed.FORMERLY));
    unused.addAll(Books.unusedIf(database, "old payloads", "SELECT COUNT(*) FROM upcast"));
    return unused;
  }

  private List<String> readWrong() {
    return database.strings(
        "SELECT CONCAT('message ', e.message_id, ' was enqueued as ', e.what, ' of ', e.filler,"
            + " ', and read as ', COALESCE(CONCAT(u.what, ' of ', u.size), 'nothing'))"
            + " FROM enqueued e JOIN effect f ON f.message_id = e.message_id"
            + " LEFT JOIN upcast u ON u.message_id = e.message_id"
            + " WHERE e.topic IN %s AND NOT (u.what <=> e.what AND u.size <=> e.filler)"
                .formatted(NAMES));
  }

  private List<String> unread() {
    return database.strings(
        "SELECT CONCAT('dead letter ', id, ' of ', topic, ' is said to be ', reason)"
            + " FROM queue_dead_letter WHERE topic IN %s".formatted(NAMES)
            + " AND reason IN ('undecodable', 'unreadable', 'not-wrapped')");
  }
}
