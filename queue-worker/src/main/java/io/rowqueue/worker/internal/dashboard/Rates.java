package io.rowqueue.worker.internal.dashboard;

import java.util.ArrayList;
import java.util.List;

/**
 * How fast the queue moves, from two readings.
 *
 * @param arrived messages a second that were enqueued, anywhere; like all of these never below
 *     zero, and NaN if it is not known
 * @param left messages a second that left the queue, anywhere; not known while not all are counted
 * @param handled messages a second that this worker handled
 * @param failed handlings a second that failed here
 */
record Rates(double arrived, double left, double handled, double failed) {

  static final Rates UNKNOWN = new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  private static final double NANOS = 1e9;

  /** For the numbers that people read. */
  private static final double WINDOW = 30 * NANOS;

  /**
   * An operator's change has the next look read anew at once, and what happens to come in a few
   * milliseconds says nothing about a second.
   */
  private static final double SHORTEST = NANOS;

  /** Over the last half minute. */
  static Rates now(List<Board.Sample> samples) {
    return at(samples, samples.size() - 1, WINDOW);
  }

  /** Of each but the first, since the one before it. */
  static List<Rates> all(List<Board.Sample> samples) {
    List<Rates> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      rates.add(at(samples, i, SHORTEST));
    }
    return rates;
  }

  /** Since the oldest in {@code window}, or since the last before if there is none in it. */
  private static Rates at(List<Board.Sample> samples, int end, double window) {
    Board.Sample from = null;
    for (int i = end - 1; i >= 0; i--) {
      double age = samples.get(end).of().nanos() - samples.get(i).of().nanos();
      if (age >= SHORTEST && (from == null || age <= window)) {
        from = samples.get(i);
      }
    }
    return from == null ? UNKNOWN : between(from, samples.get(end));
  }

  private static Rates between(Board.Sample from, Board.Sample to) {
    double seconds = (to.of().nanos() - from.of().nanos()) / NANOS;
    double arrived = Double.NaN;
    double left = Double.NaN;
    JooqCounts.Ids before = from.of().ids();
    JooqCounts.Ids after = to.of().ids();
    if (before != null && after != null && before.isKnown() && after.nextId() >= before.nextId()) {
      double came = (after.nextId() - before.nextId()) / (double) Math.max(1, after.step());
      arrived = came / seconds;
      if (from.of().isExact() && to.of().isExact()) {
        double more = to.of().sum().living().number() - from.of().sum().living().number();
        left = Math.max(0, came - more) / seconds;
      }
    }
    return new Rates(
        arrived,
        left,
        counted(from.handled(), to.handled()) / seconds,
        counted(from.failed(), to.failed()) / seconds);
  }

  /** One that is below what it was has started again. */
  private static double counted(long before, long after) {
    return after < before ? Double.NaN : after - before;
  }
}
