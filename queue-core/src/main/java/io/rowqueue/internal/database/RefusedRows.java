package io.rowqueue.internal.database;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes several rows in one transaction, and falls back to halves, down to one row, if the server
 * refuses it: because of one of the rows, or because the transaction is too large. A refused row is
 * logged, and should be left out for a growing delay, so that it does not block the others. Every
 * write of several rows whose ids were read before runs in it. Thread-safe.
 *
 * @param <K> the type of a row's id
 */
public final class RefusedRows<K> {

  private static final Logger LOG = LoggerFactory.getLogger(RefusedRows.class);

  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofMinutes(5);

  private final String what;
  private final Duration first;
  private final Duration longest;
  private final Map<K, Delay> delays = new ConcurrentHashMap<>();

  /** Without delayed rows; {@code what} names the operation on an id in the log. */
  public RefusedRows(String what) {
    this(what, FIRST, LONGEST);
  }

  /** Leaves a refused row out for {@code first}, doubled up to {@code longest}. */
  RefusedRows(String what, Duration first, Duration longest) {
    this.what = what;
    this.first = first;
    this.longest = longest;
  }

  private record Delay(long untilNanos, Duration length, QueueException refusal) {

    boolean lasts(long now) {
      return untilNanos - now > 0;
    }
  }

  private Delay after(@Nullable Delay last, long now, QueueException refusal) {
    Duration twice = last == null ? first : last.length.multipliedBy(2);
    Duration next = twice.compareTo(longest) < 0 ? twice : longest;
    return new Delay(now + next.toNanos(), next, refusal);
  }

  /** The ids of rows that must not be tried yet. */
  public Set<K> delayed() {
    long now = System.nanoTime();
    return delays.entrySet().stream()
        .filter(one -> one.getValue().lasts(now))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns why the server has refused a row that it has not accepted since. */
  public Optional<QueueException> refusal() {
    return delays.values().stream().map(Delay::refusal).findFirst();
  }

  /** Leaves such rows out of a query. */
  public Condition others(Field<?> id) {
    Set<K> delayed = delayed();
    return delayed.isEmpty() ? DSL.noCondition() : id.notIn(delayed);
  }

  /** Leaves such rows out of {@code rows}. */
  public <T> List<T> others(List<T> rows, Function<T, ? extends K> id) {
    Set<K> delayed = delayed();
    return rows.stream().filter(row -> !delayed.contains(id.apply(row))).toList();
  }

  /**
   * Whether {@code failure} of a change of so many rows means that fewer of them may be accepted.
   * If it is unknown whether they were changed, they must not be tried again.
   */
  public static boolean isRefusal(QueueException failure, int rows) {
    return !(failure instanceof CommitOutcomeUnknownException)
        && (!TransientFailures.isOutage(failure)
            || (rows > 1 && TransientFailures.mayBeTooLarge(failure)));
  }

  /**
   * Applies {@code work} to all of {@code rows} at once, or else to parts of them.
   *
   * @param id returns a row's id
   * @param work runs in a transaction of its own
   * @return the results of the calls that succeeded
   * @throws QueueException if none succeeded
   */
  public <T, R> List<R> change(List<T> rows, Function<T, K> id, Function<List<T>, R> work) {
    return new Run<>(id, work).of(rows.isEmpty() ? List.of() : List.of(rows));
  }

  /** Applies {@code work} to each of {@code rows} alone. */
  public <T, R> List<R> changeEach(List<T> rows, Function<T, K> id, Function<T, R> work) {
    return new Run<T, R>(id, one -> work.apply(one.get(0)))
        .of(rows.stream().map(List::of).toList());
  }

  /**
   * Calls {@code work} with all of {@code rows}, or with halves of them if the server refuses it,
   * down to one row, which is passed to {@code refused}.
   *
   * @param work runs in a transaction of its own
   * @throws QueueException what {@code work} throws for another reason; what {@code refused} throws
   */
  public static <T> void changeOrHalve(
      List<T> rows, Consumer<List<T>> work, BiConsumer<T, QueueException> refused) {
    try {
      work.accept(rows);
      return;
    } catch (QueueException e) {
      if (!isRefusal(e, rows.size())) {
        throw e;
      }
      if (rows.size() == 1) {
        refused.accept(rows.get(0), e);
        return;
      }
    }
    int half = rows.size() / 2;
    changeOrHalve(rows.subList(0, half), work, refused);
    changeOrHalve(rows.subList(half, rows.size()), work, refused);
  }

  /** The rows that all calls of a change have changed. */
  public static int sum(List<Integer> counts) {
    return counts.stream().mapToInt(Integer::intValue).sum();
  }

  private void delay(Set<K> refused, QueueException refusal) {
    long now = System.nanoTime();
    delays.values().removeIf(delay -> now - delay.untilNanos > longest.toNanos());
    Set<K> known = delayed();
    List<K> ids = refused.stream().filter(id -> !known.contains(id)).toList();
    ids.forEach(id -> delays.compute(id, (same, last) -> after(last, now, refusal)));
    if (!ids.isEmpty()) {
      LOG.warn(
          "{} {} was refused, and is retried after a growing delay: {}",
          what,
          Refusals.names(ids),
          FailureText.of(refusal));
    }
  }

  /** One call. */
  private final class Run<T, R> {

    private final Function<T, K> id;
    private final Function<List<T>, R> work;
    private final List<R> results = new ArrayList<>();
    private final Refusals<K> refused = new Refusals<>();

    Run(Function<T, K> id, Function<List<T>, R> work) {
      this.id = id;
      this.work = work;
    }

    List<R> of(List<List<T>> parts) {
      QueueException failure = null;
      try {
        parts.forEach(part -> changeOrHalve(part, this::change, this::refuse));
      } catch (QueueException outage) {
        failure = outage;
      }
      QueueException refusal = refused.last();
      if (refusal != null) {
        delay(refused.rows(), refusal);
        failure = failure == null ? refusal : failure;
      }
      if (failure != null && results.isEmpty()) {
        throw failure;
      }
      // What was committed counts, whatever failed after it.
      return results;
    }

    private void change(List<T> rows) {
      results.add(work.apply(rows));
      rows.forEach(row -> delays.remove(id.apply(row)));
    }

    private void refuse(T row, QueueException refusal) {
      refused.add(id.apply(row), refusal, !results.isEmpty());
    }
  }
}
