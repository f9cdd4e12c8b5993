package io.rowqueue.proof.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.depth.TopicOverfullException;
import io.rowqueue.depth.TopicRoom;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues more than its topic may hold, and heeds back-pressure: a burst that finds the topic
 * overfull is refused, half of them after a wait. Now and then a message of another topic, whose
 * handler extends its timeout, goes before it in the transaction: it gets in all the same.
 */
final class HastyProducer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HastyProducer.class);
  private static final Topic FULL = new Topic(Deed.LIMITED);
  private static final int BURST = 40;
  private static final int ONE_LONG_IN = 5;
  private static final int MOST_MILLIS = 5;
  private static final int LONGEST_PAUSE_MILLIS = 250;
  private static final Duration LONGEST_WAIT = Duration.ofMillis(1_500);

  /** A verdict takes a second, and as long again until it is read. */
  private static final Duration LONGEST_VERDICT = Duration.ofSeconds(20);

  private final String url;
  private final RandomGenerator random;
  private final TopicRoom room;
  private final MessageProducer queue;
  private final Thread thread = new Thread(this::run, "hasty producer");
  private volatile boolean closed;

  /** Confined to the thread. */
  private int bursts;

  private volatile boolean refusedAtTheEnd;

  HastyProducer(String url, RandomGenerator random) {
    this.url = url;
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
      attempt(random.nextBoolean());
      Pauses.between(0, LONGEST_PAUSE_MILLIS, random);
    }
    // The faults are over: whatever they did to verdicts and readings, the limit holds again.
    long end = System.nanoTime() + LONGEST_VERDICT.toNanos();
    while (!refusedAtTheEnd && System.nanoTime() < end) {
      refusedAtTheEnd = attempt(false);
    }
  }

  /**
   * Whether it was refused; what fails is not repeated, the books know whether it was committed.
   */
  private boolean attempt(boolean waits) {
    try {
      if (waits) {
        awaitRoom();
      }
      return !commitBurst();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("a burst failed", e);
      return false;
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

  private boolean commitBurst() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      List<Entry> entries = new ArrayList<>();
      if (bursts++ % ONE_LONG_IN == 0) {
        entries.addAll(enqueue(connection, Deed.LONG, 1));
      }
      boolean hadRoom = true;
      try {
        entries.addAll(enqueue(connection, Deed.LIMITED, BURST));
      } catch (TopicOverfullException e) {
        hadRoom = false;
      }
      Ledger.book(connection, entries);
      connection.commit();
      return hadRoom;
    }
  }

  private List<Entry> enqueue(Connection connection, String topic, int count) {
    Deed deed = new Deed(Deed.What.SUCCEED, random.nextInt(MOST_MILLIS), null);
    NewMessage message = NewMessage.of(topic, deed);
    List<MessageId> ids = queue.enqueueAll(connection, Collections.nCopies(count, message));
    return IntStream.range(0, count).mapToObj(i -> Entry.of(ids.get(i), topic, message)).toList();
  }

  /** What is broken, once the queue is empty and everybody has stopped; empty if nothing is. */
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

  /** Enqueues no more, once it returns; which is not before it was refused once more. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(TimeUnit.MINUTES.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
