package io.rowqueue.internal.database;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes several rows in one transaction, and falls back to one transaction per row if the server
 * refuses one of them, so that this row does not block the others. A refused row is logged, and
 * retried after a growing delay. Thread-safe.
 */
public final class RefusedRows {

  private static final Logger LOG = LoggerFactory.getLogger(RefusedRows.class);

  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final String what;
  private final Map<Long, Delay> delays = new ConcurrentHashMap<>();

  /** Without delayed rows; {@code what} names the operation in the log. */
  public RefusedRows(String what) {
    this.what = what;
  }

  private record Delay(long untilNanos, Duration length) {}

  /** The ids of rows that must not be tried yet. */
  public Set<Long> delayed() {
    long now = System.nanoTime();
    return delays.entrySet().stream()
        .filter(one -> one.getValue().untilNanos - now > 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Applies {@code work} to all of {@code rows} at once, or else to each.
   *
   * @param id returns a row's id
   * @param work runs in a transaction of its own
   * @return the results of the calls that succeeded
   * @throws QueueException if the database is unavailable; not if it refuses a row
   */
  public <T, R> List<R> change(List<T> rows, ToLongFunction<T> id, Function<List<T>, R> work) {
    try {
      R result = work.apply(rows);
      rows.forEach(row -> delays.remove(id.applyAsLong(row)));
      return List.of(result);
    } catch (QueueException e) {
      if (TransientFailures.isTransient(e) || TransientFailures.isUnavailable(e)) {
        throw e;
      }
      return changeEach(rows, id, work, e);
    }
  }

  private <T, R> List<R> changeEach(
      List<T> rows, ToLongFunction<T> id, Function<List<T>, R> work, QueueException refusal) {
    if (rows.size() == 1) {
      delay(id.applyAsLong(rows.get(0)), refusal);
      return List.of();
    }
    List<R> results = new ArrayList<>();
    for (T row : rows) {
      results.addAll(change(List.of(row), id, work));
    }
    return results;
  }

  private void delay(long id, QueueException refusal) {
    Delay last = delays.get(id);
    Duration twice = last == null ? FIRST : last.length.multipliedBy(2);
    Duration next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    delays.put(id, new Delay(System.nanoTime() + next.toNanos(), next));
    LOG.warn(
        "{} of message {} was refused, and is retried after {}: {}",
        what,
        id,
        Humanize.duration(next),
        FailureText.of(refusal));
  }
}
