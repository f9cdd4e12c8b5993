package io.rowqueue.bench.report;

import java.util.Locale;

/**
 * What a figure must reach.
 *
 * @param what the figure in words
 * @param value what was measured
 * @param limit what it is held against
 * @param atLeast whether {@code value} must not be below {@code limit}; else not above
 */
public record Bar(String what, double value, double limit, boolean atLeast) {

  /** One that must not be below. */
  public static Bar atLeast(String what, double value, double limit) {
    return new Bar(what, value, limit, true);
  }

  /** One that must not be above. */
  public static Bar atMost(String what, double value, double limit) {
    return new Bar(what, value, limit, false);
  }

  /** Whether it was reached; what could not be measured was not. */
  public boolean isMet() {
    return atLeast ? value >= limit : value <= limit;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-6s %s: %.2f (bar: at %s %.2f)",
        isMet() ? "met" : "MISSED",
        what,
        value,
        atLeast ? "least" : "most",
        limit);
  }
}
