package io.rowqueue.internal.database;

import io.rowqueue.QueueException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

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

  /** Like {@link #sum}, without a result. */
  public static <T> void each(Iterable<T> all, Consumer<T> work) {
    int unused =
        sum(
            all,
            one -> {
              work.accept(one);
              return 0;
            });
  }

  /**
   * Runs {@code work} for each page of rows, also after one in which the server has refused all.
   *
   * @param page returns the next rows after a given one, at most {@code size}; the first page comes
   *     after null
   * @return the sum of the results
   * @throws QueueException the last failure, after the other pages; at once if it is the
   *     database's, or if it is unlikely that the server will accept others
   */
  public static <T> int sumOfPages(
      int size, Function<@Nullable T, List<T>> page, ToIntFunction<List<T>> work) {
    Refusals<T> refused = new Refusals<>();
    int sum = 0;
    List<T> rows = page.apply(null);
    while (!rows.isEmpty()) {
      T last = rows.get(rows.size() - 1);
      try {
        sum += work.applyAsInt(rows);
      } catch (QueueException e) {
        if (TransientFailures.isOutage(e)) {
          throw e;
        }
        refused.add(last, e, sum > 0);
      }
      rows = rows.size() < size ? List.of() : page.apply(last);
    }
    QueueException failure = refused.last();
    if (failure != null) {
      throw failure;
    }
    return sum;
  }
}
