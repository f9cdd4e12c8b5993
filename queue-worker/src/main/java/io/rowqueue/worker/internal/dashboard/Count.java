package io.rowqueue.worker.internal.dashboard;

/**
 * A number that may be a lower bound.
 *
 * @param number the count, or its lower bound
 * @param isAll whether the count is exact
 */
record Count(long number, boolean isAll) {

  static final Count NONE = new Count(0, true);

  /** The result of a count that stopped at {@code most}. */
  static Count upTo(int most, long found) {
    return new Count(found, found < most);
  }

  /** Returns the sum. */
  Count plus(Count other) {
    return new Count(number + other.number, isAll && other.isAll);
  }

  boolean isNone() {
    return number == 0;
  }

  /** Returns the value for a chart; NaN if only a lower bound is known. */
  double known() {
    return isAll ? number : Double.NaN;
  }

  /** Returns the number, with a plus if it is a lower bound. */
  String text() {
    return Texts.number(number) + (isAll ? "" : "+");
  }
}
