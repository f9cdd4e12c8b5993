package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;

/** The server's own count of deadlocks, over its restarts. Confined to one thread. */
final class Deadlocks {

  private final QueueDatabase database;
  private final String query;
  private long last;
  private long sum;

  Deadlocks(QueueDatabase database) {
    this.database = database;
    this.query =
        database.isMariaDb()
            ? "SELECT variable_value FROM information_schema.global_status WHERE variable_name ="
                + " 'INNODB_DEADLOCKS'"
            : "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'";
    this.last = database.count(query);
  }

  /** Reads the count; before a restart, or what came since the last reading is forgotten. */
  void read() {
    long now = database.count(query);
    // A server that was restarted counts from zero.
    sum += now >= last ? now - last : now;
    last = now;
  }

  /** As far as they were read. */
  long sinceStart() {
    return sum;
  }
}
