package io.rowqueue.proof.bench;

import io.rowqueue.proof.bench.measure.Meter;
import io.rowqueue.proof.bench.report.Report;
import io.rowqueue.testkit.QueueDatabase;

/**
 * What a workload runs on.
 *
 * @param database a schema of its own, which it may fill and empty
 * @param meter of that schema's server
 * @param report what it finds goes there
 * @param rounds how often everybody has a turn, besides those that warm up
 * @param size how much work there is: 1 for figures that count, less for a quick look
 */
public record Stage(QueueDatabase database, Meter meter, Report report, int rounds, double size) {

  /** So many at full size, at least a thousand. */
  public int messages(int atFullSize) {
    return (int) Math.max(1_000, size * atFullSize);
  }

  /** The server, as a chart's title names it. */
  public String server() {
    return database.isMariaDb() ? "MariaDB" : "MySQL";
  }

  /** The start of a file's name that tells the servers apart. */
  public String file(String name) {
    return name + "-" + server().toLowerCase(java.util.Locale.ROOT);
  }
}
