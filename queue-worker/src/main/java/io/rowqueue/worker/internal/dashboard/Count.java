package io.rowqueue.worker.internal.dashboard;

/**
 * How many there are, as far as they were counted.
 *
 * @param number so many at least
 * @param isAll whether there are no more
 */
record Count(long number, boolean isAll) {

  static final Count NONE = new Count(0, true);

  /** What was found by a count that ends at {@code most}. */
  static Count upTo(int most, long found) {
    return new Count(found, found < most);
  }

  /** Of these and the others together. */
  Count plus(Count other) {
    return new Count(number + other.number, isAll && other.isAll);
  }

  boolean isNone() {
    return number == 0;
  }

  /** For a chart; NaN while only the least is known. */
  double known() {
    return isAll ? number : Double.NaN;
  }

  /** With a plus behind it if there may be more. */
  String text() {
    return Texts.number(number) + (isAll ? "" : "+");
  }
}
