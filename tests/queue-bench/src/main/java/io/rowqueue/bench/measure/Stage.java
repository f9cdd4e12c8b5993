package io.rowqueue.bench.measure;

import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.testkit.QueueDatabase;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * What a workload runs on, in a schema of its own, and where it reports: {@code size} is 1 for
 * figures that count, less for a quick look.
 */
public record Stage(
    String workload, QueueDatabase database, Meter meter, Report report, int rounds, double size) {

  private static final int WARM_UPS = 3;

  /** The least that is worth a look. */
  private static final double POLL = 0.1;

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
    return size < POLL ? 0 : WARM_UPS;
  }

  /**
   * Lets {@code contenders} take turns, each with {@code messages} in a round but for those that
   * ask for fewer; who begins changes with each round.
   */
  public Standing run(String title, int messages, List<? extends Contender> contenders)
      throws Exception {
    Map<String, List<Effort>> efforts = new LinkedHashMap<>();
    List<Contender> order = new ArrayList<>(contenders);
    for (int round = 1 - warmUps(); round <= rounds; round++) {
      for (Contender contender : order) {
        Effort effort = contender.round(meter, messages / contender.fewer());
        if (round > 0) {
          efforts.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(effort);
          sample(effort.sample(title, contender.name(), round));
        }
      }
      Collections.rotate(order, -1);
    }
    return new Standing(title, efforts);
  }

  /**
   * The same; shows each rate as a share of that of the first one, the {@code baseline}, too, and
   * closes all of them.
   */
  public Standing contest(String title, int messages, Contender baseline, Contender... others)
      throws Exception {
    List<Contender> all = new ArrayList<>(List.of(baseline));
    all.addAll(List.of(others));
    return contest(title, messages, all);
  }

  /** The same. */
  public Standing contest(String title, int messages, List<? extends Contender> contenders)
      throws Exception {
    try {
      Standing end = run(title, messages, contenders);
      table(end.table(contenders.get(0)));
      return end;
    } finally {
      contenders.forEach(Contender::close);
    }
  }

  /** A table for people. */
  public void table(Table table) {
    report.table(table);
  }

  /** What was measured of several, in {@code unit}: as a table, and as samples. */
  public void figures(String title, String unit, Map<String, Figures> figures) {
    table(Table.of(loaded(title), figures));
    figures.forEach((what, each) -> sample(Map.of("case", what, unit, each.sorted())));
  }

  /** One sample for programs. */
  public void sample(Map<String, ?> values) {
    report.sample(workload, values);
  }

  /** Draws {@code chart} under {@code name} and the server's. */
  public void chart(String name, Chart chart) {
    report.chart(name + "-" + server().toLowerCase(Locale.ROOT), chart.on(server()));
  }

  private String server() {
    return database.isMariaDb() ? "MariaDB" : "MySQL";
  }

  /** A figure that must not be below {@code limit}. */
  public void atLeast(String what, double value, double limit) {
    report.bar(Bar.atLeast(what, value, limit));
  }

  /** A figure that must not be above {@code limit}. */
  public void atMost(String what, double value, double limit) {
    report.bar(Bar.atMost(what, value, limit));
  }

  /** {@code title} with the load now: a figure from a busy machine says little. */
  public static String loaded(String title) {
    return String.format(Locale.ROOT, "%s (load %.1f)", title, load());
  }

  /** Waits so long. */
  public static void pause(double seconds) {
    LockSupport.parkNanos((long) (seconds * 1e9));
  }

  /** Runnable threads, an average of the last minute, as the operating system counts them. */
  public static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }
}
