package io.rowqueue.proof.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.AwaitedLedger.Outcome;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Deed.What;
import io.rowqueue.result.AwaitTimeoutException;
import io.rowqueue.result.DeadLetterException;
import io.rowqueue.result.ResultUnavailableException;
import io.rowqueue.result.Results;
import io.rowqueue.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for what handlers give back, by the ids of messages that are enqueued before
 * or enqueued by whoever awaits them, with one and the same {@link Results} from the first fault to
 * the last: whatever they do to its connection, it answers again. Confined to one thread at a time.
 */
final class Asker implements AutoCloseable {

  /** So short that some are over before an answer comes. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private static final int MOST_MILLIS = 300;

  /**
   * So long that the look with which a wait begins finds nothing, and no longer than it must be.
   */
  private static final int RUNG_MILLIS = 70;

  /** So long after one another come the looks of a wait that no ring ends. */
  private static final long BETWEEN_LOOKS_MILLIS = 1_000;

  /** A later look than the first may itself take a while. */
  private static final long LONGEST_LOOK_MILLIS = 400;

  private final String url;
  private final AwaitedLedger books;
  private final RandomGenerator random;
  private final BookingProducer queue = new BookingProducer(MessageProducer.create());
  private final Results results;

  Asker(String url, AwaitedLedger books, RandomGenerator random) {
    this.url = url;
    this.books = books;
    this.random = random;
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url);
    this.results = Results.over(dataSource);
  }

  /** Enqueues one, and waits for what comes of it; what it throws for a fault is of no account. */
  void ask() throws SQLException, InterruptedException {
    if (random.nextBoolean()) {
      var unused = enqueueAndAwait(what());
    } else {
      var unused = await(enqueue(what()));
    }
  }

  private What what() {
    return switch (random.nextInt(10)) {
      case 0, 1 -> What.FAIL_ONCE;
      case 2 -> What.REJECT;
      default -> What.SUCCEED;
    };
  }

  private static NewMessage message(What what, int millis) {
    return NewMessage.of(Deed.RESULT, new Deed(what, millis, null));
  }

  private MessageId enqueue(What what) throws SQLException {
    NewMessage message = message(what, random.nextInt(MOST_MILLIS));
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      MessageId id = queue.enqueue(connection, message);
      Ledger.book(connection, List.of(Entry.of(id, Deed.RESULT, message)));
      connection.commit();
      return id;
    }
  }

  private Outcome await(MessageId id) throws InterruptedException {
    Wait wait = awaited(() -> results.await(id, Integer.class, LONGEST));
    book(id, wait);
    return wait.outcome;
  }

  /** Returns whether a ring has ended the wait. */
  private boolean enqueueAndAwait(What what) throws InterruptedException {
    NewMessage message = message(what, RUNG_MILLIS);
    Wait wait = awaited(() -> results.enqueueAndAwait(queue, message, Integer.class, LONGEST));
    Duration waited = Duration.ofNanos(System.nanoTime() - queue.lastNanos());
    book(queue.last(), wait);
    return wait.outcome == Outcome.ANSWERED && isBetweenLooks(waited.toMillis());
  }

  private void book(MessageId id, Wait wait) {
    books.book(id, wait.outcome, wait.answer, wait.late);
  }

  private static boolean isBetweenLooks(long millis) {
    return millis < BETWEEN_LOOKS_MILLIS || millis % BETWEEN_LOOKS_MILLIS > LONGEST_LOOK_MILLIS;
  }

  private static Wait awaited(Question question) throws InterruptedException {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    Integer answer = null;
    Outcome outcome = Outcome.ANSWERED;
    try {
      answer = question.ask();
    } catch (DeadLetterException e) {
      outcome = Outcome.DEAD;
    } catch (ResultUnavailableException e) {
      outcome = Outcome.GONE;
    } catch (AwaitTimeoutException e) {
      outcome = Outcome.TIMEOUT;
    }
    long late = Math.max(0, System.nanoTime() - deadline);
    return new Wait(outcome, answer, Duration.ofNanos(late));
  }

  /**
   * What is broken, once the faults are over and while workers live; empty if nothing is.
   *
   * @param longest until when one must have been answered
   * @param longestSilence until when a ring must have ended a wait
   */
  List<String> findings(Duration longest, Duration longestSilence) {
    List<String> findings = new ArrayList<>();
    try {
      Await.until(
          "one is answered", longest, () -> await(enqueue(What.SUCCEED)), Outcome.ANSWERED::equals);
    } catch (AssertionError e) {
      findings.add("the faults are over, and who awaits a result is not answered");
    }
    try {
      Await.until(
          "a ring ends a wait", longestSilence, () -> enqueueAndAwait(What.SUCCEED), rung -> rung);
    } catch (AssertionError e) {
      findings.add("the faults are over, and no ring ends a wait");
    }
    return findings;
  }

  @Override
  public void close() {
    results.close();
  }

  /**
   * How a wait ended.
   *
   * @param answer null without
   * @param late how long after its deadline
   */
  private record Wait(Outcome outcome, @Nullable Integer answer, Duration late) {}

  /** Waits for an answer. */
  private interface Question {
    @Nullable Integer ask() throws InterruptedException;
  }
}
