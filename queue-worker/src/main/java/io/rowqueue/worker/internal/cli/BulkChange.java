package io.rowqueue.worker.internal.cli;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Refusals;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.worker.Rate;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Changes rows page by page and knows at every moment how many are done. A row that the server
 * refuses is left as it is.
 */
final class BulkChange<T> {

  /** One transaction's worth. */
  static final int PAGE = 200;

  private final Operation<T> operation;
  private final Pace pace;
  private final Progress progress;
  private final ShutdownReport shutdown;

  private @Nullable T after;
  private long done;
  private long seen;
  private List<T> pending = List.of();
  private final Refusals<T> refused = new Refusals<>();

  BulkChange(Operation<T> operation, Pace pace, Progress progress, ShutdownReport shutdown) {
    this.operation = operation;
    this.pace = pace;
    this.progress = progress;
    this.shutdown = shutdown;
  }

  /**
   * A change of rows, each known by a {@code T}.
   *
   * @param page the next rows after a given one, in their order, at most so many; the first page
   *     comes after null
   * @param change changes all of the rows in one transaction; returns how many
   * @param noun what they are, such as {@code dead letter}
   * @param done what they are afterwards, such as {@code redriven}
   * @param continuation says which command continues after a row; null is the beginning. The second
   *     is the last row of a part of which it is not known whether it was changed; null if there is
   *     none
   */
  record Operation<T>(
      BiFunction<@Nullable T, Integer, List<T>> page,
      ToIntFunction<List<T>> change,
      String noun,
      String done,
      BiFunction<@Nullable T, @Nullable T, String> continuation) {}

  /**
   * Changes up to {@code limit}.
   *
   * @return how many those were
   * @throws CommandFailure if the database fails, or the server has refused some; it says how many
   *     are done
   */
  long run(long limit) {
    try {
      while (done < limit) {
        int most = pace.atOnce((int) Math.min(PAGE, limit - done));
        List<T> rows = operation.page().apply(after, most);
        if (rows.isEmpty()) {
          break;
        }
        pace.await(rows.size());
        String unused = shutdown.step(whatIsDone(rows), () -> apply(rows));
        progress.at(done, done);
      }
    } catch (QueueException e) {
      boolean unknown = e instanceof CommitOutcomeUnknownException;
      throw new CommandFailure(
          ExitCodes.of(e), e.getMessage() + "; " + whatIsDone(unknown ? pending : List.of()), e);
    }
    if (!refused.rows().isEmpty()) {
      throw CommandFailure.failed(whatIsChanged("") + whatIsRefused(), refused.last());
    }
    return done;
  }

  /** How many rows its pages had, changed or not. */
  long seen() {
    return seen;
  }

  private String apply(List<T> rows) {
    RefusedRows.changeOrHalve(rows, this::change, this::refuse);
    return whatIsDone(List.of());
  }

  private void change(List<T> rows) {
    pending = rows;
    shutdown.reached(whatIsDone(List.of()), whatIsDone(rows));
    done += operation.change().applyAsInt(rows);
    passed(rows);
  }

  private void refuse(T row, QueueException refusal) {
    passed(List.of(row));
    refused.add(row, refusal, done > 0);
  }

  /** They are not tried again. */
  private void passed(List<T> rows) {
    seen += rows.size();
    after = rows.get(rows.size() - 1);
  }

  /** How many, which were refused, and how to go on, if it is not known of {@code inDoubt}. */
  private String whatIsDone(List<T> inDoubt) {
    T last = inDoubt.isEmpty() ? null : inDoubt.get(inDoubt.size() - 1);
    return whatIsChanged("before it ")
        + (last == null ? "" : ", and of %d more all or none".formatted(inDoubt.size()))
        + whatIsRefused()
        + "; "
        + operation.continuation().apply(after, last);
  }

  private String whatIsRefused() {
    return refused.rows().isEmpty()
        ? ""
        : "; the server refused %s, which %s unchanged: %s"
            .formatted(
                TextTable.plural(refused.rows().size(), operation.noun()),
                refused.rows().size() == 1 ? "is" : "are",
                refused.text());
  }

  private String whatIsChanged(String when) {
    return "%s %s%s %s"
        .formatted(
            TextTable.plural(done, operation.noun()),
            when,
            done == 1 ? "was" : "were",
            operation.done());
  }

  /**
   * How fast a command goes. Its bucket holds what a tenth of a second brings, so that a rate of
   * 1,000 a second is no burst of 1,000. Not thread-safe.
   */
  static final class Pace {

    private static final int BUCKETS_A_SECOND = 10;

    private final @Nullable Bucket bucket;
    private final int capacity;
    private final BlockingStrategy waiting;

    private Pace(@Nullable Bucket bucket, int capacity, BlockingStrategy waiting) {
      this.bucket = bucket;
      this.capacity = capacity;
      this.waiting = waiting;
    }

    /** At most {@code rate}; null for no limit. */
    static Pace of(@Nullable Rate rate) {
      return rate == null
          ? unlimited()
          : of(rate, TimeMeter.SYSTEM_NANOTIME, BlockingStrategy.PARKING);
    }

    static Pace unlimited() {
      return new Pace(null, Integer.MAX_VALUE, BlockingStrategy.PARKING);
    }

    /** With another clock, for tests. */
    static Pace of(Rate rate, TimeMeter clock, BlockingStrategy waiting) {
      int buckets = BUCKETS_A_SECOND * Math.toIntExact(rate.per().toSeconds());
      int capacity = Math.max(1, rate.messages() / buckets);
      Bucket bucket =
          Bucket.builder()
              .addLimit(limit -> limit.capacity(capacity).refillGreedy(rate.messages(), rate.per()))
              .withCustomTimePrecision(clock)
              .build();
      return new Pace(bucket, capacity, waiting);
    }

    int atOnce(int most) {
      return Math.min(capacity, most);
    }

    /** Waits until {@code count}, at most {@link #atOnce}, may go. */
    void await(int count) {
      if (bucket == null || count == 0) {
        return;
      }
      try {
        bucket.asBlocking().consume(count, waiting);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw CommandFailure.failed("it was interrupted", e);
      }
    }
  }
}
