package io.rowqueue.worker.internal.dashboard;

import java.util.ArrayList;
import java.util.List;

/**
 * Rates between two readings, per second.
 *
 * @param arrived messages enqueued by all producers; like all rates never negative, and NaN if
 *     unknown
 * @param left messages that left the queue; unknown while counts are capped
 * @param handled attempts of this worker
 * @param failed failed attempts of this worker
 */
record Rates(double arrived, double left, double handled, double failed) {

  static final Rates UNKNOWN = new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

  private static final double NANOS = 1e9;

  /** The window for the numbers on the tiles. */
  private static final double WINDOW = 30 * NANOS;

  /**
   * A change expires the cached reading, and the next one may follow within milliseconds, which is
   * too short for a rate.
   */
  private static final double SHORTEST = NANOS;

  /** Returns the rates over the last half minute. */
  static Rates now(List<Board.Sample> samples) {
    return at(samples, samples.size() - 1, WINDOW);
  }

  /** Returns the rates of each sample but the first, relative to its predecessor. */
  static List<Rates> all(List<Board.Sample> samples) {
    List<Rates> rates = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      rates.add(at(samples, i, SHORTEST));
    }
    return rates;
  }

  /**
   * Returns the rates since the oldest sample in {@code window}, or since the one before it if the
   * window has none.
   */
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
    JooqIds before = from.of().ids();
    JooqIds after = to.of().ids();
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

  /** A counter below its previous value was restarted. */
  private static double counted(long before, long after) {
    return after < before ? Double.NaN : after - before;
  }
}
