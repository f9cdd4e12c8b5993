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
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for what handlers give back, with one and the same {@link Results} from the
 * first fault to the last: whatever they do to its connection, it answers again. Confined to one
 * thread at a time.
 */
final class Asker implements AutoCloseable {

  /** So short that some are over before an answer comes. */
  private static final Duration LONGEST = Duration.ofMillis(1_500);

  private static final int MOST_MILLIS = 300;

  private final String url;
  private final AwaitedLedger books;
  private final RandomGenerator random;
  private final MessageProducer queue = MessageProducer.create();
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
    Outcome unused = await(enqueue(what()));
  }

  private What what() {
    return switch (random.nextInt(10)) {
      case 0, 1 -> What.FAIL_ONCE;
      case 2 -> What.REJECT;
      default -> What.SUCCEED;
    };
  }

  private MessageId enqueue(What what) throws SQLException {
    NewMessage message =
        NewMessage.of(Deed.RESULT, new Deed(what, random.nextInt(MOST_MILLIS), null));
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      MessageId id = queue.enqueue(connection, message);
      Ledger.book(connection, List.of(Entry.of(id, Deed.RESULT, message)));
      connection.commit();
      return id;
    }
  }

  private Outcome await(MessageId id) throws InterruptedException {
    long deadline = System.nanoTime() + LONGEST.toNanos();
    Integer answer = null;
    Outcome outcome = Outcome.ANSWERED;
    try {
      answer = results.await(id, Integer.class, LONGEST);
    } catch (DeadLetterException e) {
      outcome = Outcome.DEAD;
    } catch (ResultUnavailableException e) {
      outcome = Outcome.GONE;
    } catch (AwaitTimeoutException e) {
      outcome = Outcome.TIMEOUT;
    }
    long late = Math.max(0, System.nanoTime() - deadline);
    books.book(id, outcome, answer, Duration.ofNanos(late));
    return outcome;
  }

  /**
   * What is broken, once the faults are over and while workers live; null if nothing is.
   *
   * @param longest until when one must have been answered
   */
  @Nullable String finding(Duration longest) {
    try {
      Await.until(
          "one is answered", longest, () -> await(enqueue(What.SUCCEED)), Outcome.ANSWERED::equals);
      return null;
    } catch (AssertionError e) {
      return "the faults are over, and who awaits a result is not answered";
    }
  }

  @Override
  public void close() {
    results.close();
  }
}
