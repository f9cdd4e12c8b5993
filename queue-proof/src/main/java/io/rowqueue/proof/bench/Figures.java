package io.rowqueue.proof.bench;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What was measured, in ascending order. */
record Figures(List<Double> sorted) {

  /** Of at least one value. */
  static Figures of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalStateException("nothing was measured");
    }
    return new Figures(values.stream().sorted().toList());
  }

  double median() {
    return at(0.5);
  }

  double min() {
    return sorted.get(0);
  }

  double max() {
    return sorted.get(sorted.size() - 1);
  }

  /** The value that this share of all values does not exceed. */
  double at(double share) {
    return sorted.get((int) Math.min(sorted.size() - 1, (long) (share * sorted.size())));
  }

  static void printHead(String unit) {
    System.out.printf(
        "%-44s %8s %10s %10s %10s %10s%n", unit, "samples", "median", "p99", "min", "max");
  }

  void print(String what) {
    System.out.printf(
        Locale.ROOT,
        "%-44s %8d %10.2f %10.2f %10.2f %10.2f%n",
        what,
        sorted.size(),
        median(),
        at(0.99),
        min(),
        max());
  }

  /** How busy the machine is; a figure from a busy one says little. */
  static void printLoad() {
    System.out.printf(
        Locale.ROOT,
        "load average %.1f%n",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }
}
