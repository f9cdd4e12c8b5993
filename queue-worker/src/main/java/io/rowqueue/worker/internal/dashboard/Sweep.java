package io.rowqueue.worker.internal.dashboard;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Refusals;
import io.rowqueue.internal.database.RefusedRows;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A bulk change in transactions of one page each, on a thread of its own. It can be stopped between
 * two pages; completed pages are kept, and starting it again continues. A message that the server
 * refuses is left as it is.
 */
final class Sweep {

  /** The size of one transaction. */
  static final int PAGE = 200;

  /** The highest rate limit. */
  static final int FASTEST = 1_000_000;

  private static final int BUCKETS_A_SECOND = 10;

  /** The state of a bulk change. */
  enum State {
    /** Running. */
    RUNNING,
    /** No message is left to change. */
    COMPLETED,
    /** Stopped by an operator, or by the worker's end. */
    STOPPED,
    /** The database failed. */
    FAILED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The action, and the messages that it applies to. */
  interface Deed {

    /** Returns the next ids, in order; empty at the end, or if none was found yet. */
    List<MessageId> next(int most);

    /** Returns whether an empty result was the end. */
    boolean isAtEnd();

    /** Applies the action to all of them in one transaction; returns the number changed. */
    int apply(List<MessageId> ids);

    /** Returns what changed messages are, such as {@code redriven}. */
    String how();
  }

  /**
   * The request.
   *
   * @param did the action's name for the audit log, such as {@code topic.purge}
   * @param on the target, for people
   * @param total the number of messages when it was requested; null if it is not known
   * @param who the user
   * @param perSecond the rate limit; null if unlimited
   * @param deed the action
   */
  record Plan(
      String did,
      String on,
      @Nullable Count total,
      Actor who,
      @Nullable Integer perSecond,
      Deed deed) {

    /**
     * The total to show beside {@code done}, which it is never below: a message whose transaction
     * committed after it was counted is changed, too.
     */
    @Nullable Count total(long done) {
      return total == null || total.number() >= done ? total : new Count(done, total.isAll());
    }
  }

  private final int number;
  private final Plan plan;
  private final Instant startedAt = Instant.now();
  private volatile State state = State.RUNNING;
  private volatile boolean stopping;
  private final AtomicLong done = new AtomicLong();
  private final Refusals<MessageId> refused = new Refusals<>();
  private volatile String unchanged = "";
  private volatile String failure = "";
  private final CountDownLatch ended = new CountDownLatch(1);

  Sweep(int number, Plan plan) {
    this.number = number;
    this.plan = plan;
  }

  int number() {
    return number;
  }

  Plan plan() {
    return plan;
  }

  Instant startedAt() {
    return startedAt;
  }

  State state() {
    return state;
  }

  long done() {
    return done.get();
  }

  /** Returns why it failed, and what the server has refused; empty if neither. */
  String trouble() {
    return Stream.of(failure, unchanged)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("; "));
  }

  boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Stops it before its next page. */
  void stop() {
    stopping = true;
  }

  /** Waits, at most {@code longest}, until it has ended and its end is recorded. */
  void awaitEnd(Duration longest) {
    try {
      boolean unused = ended.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void run() {
    State end = State.FAILED;
    try {
      end = work() ? State.COMPLETED : State.STOPPED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end = State.STOPPED;
    } catch (RuntimeException e) {
      failure = String.valueOf(e.getMessage());
    } catch (Error e) {
      failure = e.toString();
      throw e;
    } finally {
      end(end);
    }
  }

  /** An interrupt must not keep the end from the audit table. */
  private void end(State end) {
    boolean interrupted = Thread.interrupted();
    try {
      Audit.write(plan.who(), plan.did(), plan.on(), result(end));
    } finally {
      state = end;
      ended.countDown();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Such as {@code stopped: 406 of 1,000 redriven; start it again for the others}. */
  private String result(State end) {
    boolean isCompleted = end == State.COMPLETED;
    Count total = isCompleted ? null : plan.total(done.get());
    return "%s: %s%s %s%s%s"
        .formatted(
            end.label(),
            Texts.number(done.get()),
            total == null ? "" : " of " + Texts.count(total),
            plan.deed().how(),
            isCompleted ? "" : "; start it again for the others",
            trouble().isEmpty() ? "" : "; " + trouble());
  }

  private boolean work() throws InterruptedException {
    Integer rate = plan.perSecond();
    int atOnce = rate == null ? PAGE : Math.min(PAGE, Math.max(1, rate / BUCKETS_A_SECOND));
    Bucket bucket = rate == null ? null : bucket(rate);
    while (!stopping) {
      List<MessageId> ids = plan.deed().next(atOnce);
      if (!ids.isEmpty()) {
        apply(ids, bucket);
      } else if (plan.deed().isAtEnd()) {
        return true;
      }
    }
    return false;
  }

  private void apply(List<MessageId> ids, @Nullable Bucket bucket) throws InterruptedException {
    if (bucket != null) {
      bucket.asBlocking().consume(ids.size(), BlockingStrategy.PARKING);
    }
    // The rate limit may have made it wait.
    if (!stopping) {
      RefusedRows.changeOrHalve(
          ids,
          part -> done.addAndGet(plan.deed().apply(part)),
          (id, refusal) -> {
            refused.add(id, refusal, done.get() > 0);
            unchanged = "refused and unchanged: " + refused.text();
          });
    }
  }

  /**
   * The bucket holds a tenth of a second's tokens, so that a rate of 1,000/s does not allow bursts
   * of 1,000.
   */
  private static Bucket bucket(int rate) {
    return Bucket.builder()
        .addLimit(
            limit ->
                limit
                    .capacity(Math.max(1, rate / BUCKETS_A_SECOND))
                    .refillGreedy(rate, Duration.ofSeconds(1)))
        .build();
  }
}
