package io.rowqueue.worker.dashboard;

import java.util.ArrayList;
import java.util.List;

/**
 * How fast the queue moves, from two readings.
 *
 * @param arrived messages a second that were enqueued, anywhere
 * @param left messages a second that left the queue, anywhere; NaN while not all are counted
 * @param handled messages a second that this worker handled
 * @param failed handlings a second that failed here
 */
record Rates(double arrived, double left, double handled, double failed) {

  static final Rates UNKNOWN = new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  private static final double NANOS = 1e9;

  /** For the numbers that people read. */
  private static final double WINDOW = 30 * NANOS;

  /** Over the last half minute. */
  static Rates now(List<Board.Sample> samples) {
    if (samples.size() < 2) {
      return UNKNOWN;
    }
    Board.Sample last = samples.get(samples.size() - 1);
    Board.Sample first = samples.get(samples.size() - 2);
    for (int i = samples.size() - 2; i >= 0; i--) {
      if (last.of().nanos() - samples.get(i).of().nanos() <= WINDOW) {
        first = samples.get(i);
      }
    }
    return between(first, last);
  }

  /** Between each two neighbours. */
  static List<Rates> all(List<Board.Sample> samples) {
    List<Rates> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      rates.add(between(samples.get(i - 1), samples.get(i)));
    }
    return rates;
  }

  private static Rates between(Board.Sample from, Board.Sample to) {
    double seconds = (to.of().nanos() - from.of().nanos()) / NANOS;
    double arrived = Double.NaN;
    double left = Double.NaN;
    JooqCounts.Ids before = from.of().ids();
    JooqCounts.Ids after = to.of().ids();
    if (before != null && after != null && after.nextId() >= before.nextId()) {
      double came = (after.nextId() - before.nextId()) / (double) Math.max(1, after.step());
      arrived = came / seconds;
      if (from.of().isExact() && to.of().isExact()) {
        double more = to.of().sum().living() - from.of().sum().living();
        left = Math.max(0, came - more) / seconds;
      }
    }
    return new Rates(
        arrived,
        left,
        (to.handled() - from.handled()) / seconds,
        (to.failed() - from.failed()) / seconds);
  }
}
