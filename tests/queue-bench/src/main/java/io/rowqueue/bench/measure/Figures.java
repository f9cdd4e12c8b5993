package io.rowqueue.bench.measure;

import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What was measured, in ascending order; at least one value. */
public record Figures(List<Double> sorted) {

  /**
   * Of {@code values}, in any order.
   *
   * @throws IllegalStateException if there is none
   */
  public static Figures of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalStateException("nothing was measured");
    }
    return new Figures(values.stream().sorted().toList());
  }

  /** One figure of each of {@code all}. */
  public static <T> Figures of(Collection<T> all, ToDoubleFunction<T> figure) {
    return of(all.stream().mapToDouble(figure).boxed().toList());
  }

  /** The middle one, the upper of two. */
  public double median() {
    return at(0.5);
  }

  /** The smallest. */
  public double min() {
    return sorted.get(0);
  }

  /** The largest. */
  public double max() {
    return sorted.get(sorted.size() - 1);
  }

  /** The value that this share of all values does not exceed. */
  public double at(double share) {
    return sorted.get((int) Math.min(sorted.size() - 1, (long) (share * sorted.size())));
  }
}
