package io.rowqueue.internal.database;

import java.util.function.ToIntFunction;

/** Parts of a task of which one may fail without the others. */
public final class IndependentParts {

  private IndependentParts() {}

  /**
   * Runs {@code work} for each of {@code all}, also after a failure of one.
   *
   * @return the sum of the results
   * @throws RuntimeException the first failure, after the other parts; at once if it is the
   *     database's, and the others would meet it, too
   */
  public static <T> int sum(Iterable<T> all, ToIntFunction<T> work) {
    RuntimeException first = null;
    int sum = 0;
    for (T one : all) {
      try {
        sum += work.applyAsInt(one);
      } catch (RuntimeException e) {
        if (TransientFailures.isOutage(e)) {
          throw e;
        }
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
    return sum;
  }
}
