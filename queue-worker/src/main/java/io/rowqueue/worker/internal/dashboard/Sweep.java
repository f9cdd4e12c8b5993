package io.rowqueue.worker.internal.dashboard;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.Bucket;
import io.rowqueue.MessageId;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One change to very many messages, in transactions of a page each, on a thread of its own. It can
 * be stopped between two pages; what is done then is done, and asking again goes on.
 */
final class Sweep {

  /** One transaction's worth. */
  static final int PAGE = 200;

  /** The fastest that can be wished. */
  static final int FASTEST = 1_000_000;

  private static final int BUCKETS_A_SECOND = 10;

  /** How it stands. */
  enum State {
    /** It goes on. */
    RUNNING,
    /** Nothing is left. */
    ENDED,
    /** Somebody, or the end of the worker, has stopped it. */
    STOPPED,
    /** The database failed. */
    FAILED
  }

  /** What is done, and to which. */
  interface Deed {

    /** The next ids, in their order; none at the end, or where none was found yet. */
    List<MessageId> next(int most);

    /** Whether there are no more, when there were none. */
    boolean isAtEnd();

    /** Does it to all of them in one transaction; returns to how many. */
    int apply(List<MessageId> ids);
  }

  /**
   * What was asked for.
   *
   * @param did for the audit, such as {@code topic.purge}
   * @param on to what, in words
   * @param who who asked
   * @param perSecond how fast it goes at most; null for as fast as it can
   * @param deed what it does
   */
  record Plan(String did, String on, Actor who, @Nullable Integer perSecond, Deed deed) {}

  private final int number;
  private final Plan plan;
  private volatile State state = State.RUNNING;
  private volatile boolean stopping;
  private final AtomicLong done = new AtomicLong();
  private volatile String trouble = "";

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

  State state() {
    return state;
  }

  long done() {
    return done.get();
  }

  String trouble() {
    return trouble;
  }

  boolean isRunning() {
    return state == State.RUNNING;
  }

  /** Ends it before its next page. */
  void stop() {
    stopping = true;
  }

  void run() {
    try {
      state = work() ? State.ENDED : State.STOPPED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      state = State.STOPPED;
    } catch (RuntimeException e) {
      trouble = String.valueOf(e.getMessage());
      state = State.FAILED;
    }
    String result = state.name().toLowerCase(Locale.ROOT) + " after " + done.get();
    Audit.write(
        plan.who(), plan.did(), plan.on(), trouble.isEmpty() ? result : result + ": " + trouble);
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
    // It may have waited for a while.
    if (!stopping) {
      done.addAndGet(plan.deed().apply(ids));
    }
  }

  /** Holds what a tenth of a second brings, so that 1,000 a second is no burst of 1,000. */
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
