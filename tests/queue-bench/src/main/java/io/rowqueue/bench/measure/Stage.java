package io.rowqueue.bench.measure;

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

  private static final int WARM_UPS = 3;

  /** The least that is worth a look. */
  private static final double LOOK = 0.1;

  /** So many at full size, at least a thousand. */
  public int messages(int atFullSize) {
    return scaled(atFullSize, 1_000);
  }

  /** So many at full size, but at least {@code least}: for what takes long for each. */
  public int scaled(int atFullSize, int least) {
    return (int) Math.max(least, size * atFullSize);
  }

  /**
   * So many rounds until the compilers are done: in rounds of 60,000 messages the worker took 263,
   * 129, 98 and 102 microseconds of processor time for one. None where the figures do not count.
   */
  public int warmUps() {
    return size < LOOK ? 0 : WARM_UPS;
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
