package io.rowqueue.proof.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.depth.TopicOverfullException;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.depth.Verdict;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues more than its topic may hold, and heeds back-pressure: a burst that finds the topic
 * overfull is refused, half of them after a wait. Now and then messages of other topics go before
 * it in the transaction, and get in all the same: one whose handler extends its timeout, more than
 * may begin at once of those that have a rate, be it of their topic or of their key, and some that
 * count.
 */
final class HastyProducer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HastyProducer.class);
  private static final Topic FULL = new Topic(Deed.LIMITED);
  private static final int BURST = 40;
  private static final int ONE_LONG_IN = 5;

  /** More than may begin of a key in a second. */
  private static final int KEY_RATED = Deed.KEY_RATE + Deed.KEY_RATE / 2;

  /** Enough that some add to the counter and some take what it never had. */
  private static final int COUNTED = 8;

  private static final int ONE_FAILS_IN = 4;
  private static final int MOST_MILLIS = 5;
  private static final int LEAST_PAUSE_MILLIS = 200;
  private static final int MOST_PAUSE_MILLIS = 800;
  private static final long BETWEEN_THE_LAST_MILLIS = 100;
  private static final Duration LONGEST_WAIT = Duration.ofMillis(1_500);

  /** A verdict takes a second, and as long again until it is read. */
  private static final Duration LONGEST_VERDICT = Duration.ofSeconds(20);

  private final String url;
  private final RandomGenerator random;
  private final TopicRoom room;
  private final MessageProducer queue;
  private final Topics topics;
  private final Thread thread = new Thread(this::run, "hasty producer");
  private volatile boolean closed;

  /** Confined to the thread. */
  private int bursts;

  /** What it was refused by last. Confined to the thread. */
  private @Nullable Verdict refusal;

  private volatile boolean refusedAtTheEnd;

  HastyProducer(String url, Topics topics, RandomGenerator random) {
    this.url = url;
    this.topics = topics;
    this.random = random;
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url);
    this.room = TopicRoom.over(dataSource);
    this.queue = MessageProducer.create().refusing(room);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closed) {
      attempt(BURST, random.nextBoolean());
      Pauses.between(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS, random);
    }
    // Nobody works off what the last burst brings, so that it needs no more than one.
    topics.pause(FULL);
    try {
      refusedAtTheEnd = isRefused();
    } finally {
      topics.resume(FULL);
    }
  }

  /** The faults are over: whatever they did to verdicts and readings, the limit holds again. */
  private boolean isRefused() {
    Instant known = room.verdict(FULL).map(Verdict::judgedAt).orElse(Instant.MIN);
    long end = System.nanoTime() + LONGEST_VERDICT.toNanos();
    attempt(BURST, false);
    while (refusal == null || !refusal.judgedAt().isAfter(known)) {
      if (System.nanoTime() > end) {
        return false;
      }
      Pauses.millis(BETWEEN_THE_LAST_MILLIS);
      attempt(1, false);
    }
    return true;
  }

  /** What fails is not repeated: the books know whether it was committed. */
  private void attempt(int count, boolean waits) {
    try {
      if (waits) {
        awaitRoom();
      }
      commit(count);
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a burst failed", e);
    }
  }

  private void awaitRoom() {
    try {
      room.await(FULL, LONGEST_WAIT);
    } catch (TopicOverfullException e) {
      LOG.debug("waited in vain: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void commit(int count) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      List<Entry> entries = new ArrayList<>();
      if (bursts++ % ONE_LONG_IN == 0) {
        entries.addAll(enqueue(connection, Deed.LONG, 1));
        entries.addAll(enqueue(connection, Deed.RATED, Deed.RATE));
        for (String key : Mix.keyRatedLines()) {
          entries.addAll(enqueue(connection, keyRated(key), KEY_RATED));
        }
        entries.addAll(enqueue(connection, Deed.COUNTED, COUNTED));
      }
      try {
        entries.addAll(enqueue(connection, Deed.LIMITED, count));
      } catch (TopicOverfullException e) {
        refusal = e.verdict();
      }
      Ledger.book(connection, entries);
      connection.commit();
    }
  }

  /** Some fail, and begin once more by the rate. */
  private NewMessage keyRated(String key) {
    Deed.What what = random.nextInt(ONE_FAILS_IN) == 0 ? Deed.What.FAIL_ONCE : Deed.What.SUCCEED;
    return NewMessage.of(Deed.KEY_RATED, new Deed(what, random.nextInt(MOST_MILLIS), null))
        .withLimitKey(key);
  }

  private List<Entry> enqueue(Connection connection, String topic, int count) {
    Deed deed = new Deed(Deed.What.SUCCEED, random.nextInt(MOST_MILLIS), null);
    return enqueue(connection, NewMessage.of(topic, deed), count);
  }

  private List<Entry> enqueue(Connection connection, NewMessage message, int count) {
    String topic = message.topic().name();
    List<MessageId> ids = queue.enqueueAll(connection, Collections.nCopies(count, message));
    return IntStream.range(0, count).mapToObj(i -> Entry.of(ids.get(i), topic, message)).toList();
  }

  /** What is broken, once the queue is empty, and while workers judge; empty if nothing is. */
  List<String> findings() {
    List<String> findings = new ArrayList<>();
    if (!refusedAtTheEnd) {
      findings.add("nobody was refused though %s was overfull".formatted(FULL));
    }
    try {
      Await.that("an empty topic has room", LONGEST_VERDICT, () -> !room.isOverfull(FULL));
    } catch (AssertionError e) {
      findings.add("nothing is left of %s, and it is overfull still".formatted(FULL));
    }
    return findings;
  }

  /** Ends soon. */
  void end() {
    closed = true;
  }

  /** Enqueues no more, once it returns; which is not before it was refused once more. */
  @Override
  public void close() {
    end();
    try {
      thread.join(TimeUnit.MINUTES.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
