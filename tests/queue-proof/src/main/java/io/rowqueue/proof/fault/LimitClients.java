package io.rowqueue.proof.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.BackPressure;
import io.rowqueue.DepthSample;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.TopicFullException;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes limits of concurrency, and enqueues what exceeds limits, rates and depths. */
final class LimitClients {

  private static final int MOST_MILLIS = 5;
  private static final int FIRST = -128;

  /** The limit key that bursts have for themselves. */
  private static final String BURST_KEY = "burst";

  private LimitClients() {}

  /**
   * Two limits that change all the time, of a topic and of the keys of another. Every now and then
   * both stay low for so long that all workers must honor them, with enough to be done.
   */
  static final class Limits {
    private static final Topic LIMITED = new Topic(FaultTopics.LIMITED);
    private static final Topic KEY_LIMITED = new Topic(FaultTopics.KEY_LIMITED);

    /** With one, it would be an ordering key, which dead letters block. */
    private static final int LEAST_OF_A_KEY = 2;

    /** Both are as low as they ever are at the first change and behind so many. */
    private static final int ONE_STAYS_IN = 18;

    private static final Duration STAY = HandlingAudit.LIMIT_HONORED_AFTER.plusMillis(1_000);

    /** More than ever may run at one time. */
    private static final int BURST = 8;

    /** So long that they would run at one time, also where it takes a while to claim them. */
    private static final int BURST_MILLIS = 150;

    private final QueueDatabase database;
    private final Setting limited;
    private final Setting keyLimited;
    private final MessageProducer queue = MessageProducer.create();
    private int changes;
    private long burstsFrom = Long.MAX_VALUE;
    private long staysUntil = System.nanoTime();

    Limits(QueueDatabase database) {
      this.database = database;
      Topics topics = QueueOperations.of(database.dataSource()).topics();
      this.limited =
          new Setting(LIMITED, most -> topics.change(LIMITED, set -> set.withMaxInFlight(most)));
      this.keyLimited =
          new Setting(
              KEY_LIMITED, most -> topics.change(KEY_LIMITED, set -> set.withKeyInFlight(most)));
      topics.change(LIMITED, set -> set.withMaxDepth((long) FaultTopics.MOST_DEEP));
      topics.change(new Topic(FaultTopics.RATED), set -> set.withMaxPerSecond(FaultTopics.RATE));
      Topic keyRated = new Topic(FaultTopics.KEY_RATED);
      topics.change(keyRated, set -> set.withKeyInFlight(FaultTopics.MOST_KEY_RATED));
      topics.change(keyRated, set -> set.withKeyPerSecond(FaultTopics.KEY_RATE));
      KeyClients.makeOrderingKey(database, FaultTopics.KEY_LIMITED, BURST_KEY);
      raise();
    }

    void raise() {
      limited.set(FaultTopics.MOST_LIMITED);
      keyLimited.set(FaultTopics.MOST_KEY_LIMITED);
    }

    /** Changes both, up or down; or lets them stay low for some seconds. */
    void change() throws SQLException {
      long now = System.nanoTime();
      if (now >= staysUntil) {
        limited.set(1 + changes % FaultTopics.MOST_LIMITED);
        keyLimited.set(
            LEAST_OF_A_KEY + changes % (FaultTopics.MOST_KEY_LIMITED - LEAST_OF_A_KEY + 1));
        if (changes % ONE_STAYS_IN == 0) {
          long since = System.nanoTime();
          burstsFrom = since + HandlingAudit.LIMIT_HONORED_AFTER.toNanos();
          staysUntil = since + STAY.toNanos();
        }
        changes++;
      } else if (now >= burstsFrom) {
        burstsFrom = Long.MAX_VALUE;
        burst();
      }
    }

    /** Before all others of the topic, and under a key that no other message has. */
    private void burst() throws SQLException {
      Action action = Action.succeeding(BURST_MILLIS);
      List<NewMessage> burst = new ArrayList<>();
      burst.addAll(
          Collections.nCopies(
              BURST, NewMessage.of(FaultTopics.LIMITED, action).withPriority(FIRST)));
      burst.addAll(
          Collections.nCopies(
              BURST, NewMessage.of(FaultTopics.KEY_LIMITED, action).withLimitKey(BURST_KEY)));
      try (Connection connection = database.connect()) {
        connection.setAutoCommit(false);
        Ledger.write(
            connection, Ledger.entries(burst, queue.enqueueAllWithResults(connection, burst)));
        connection.commit();
      }
    }

    /** A limit that changes. One whose change fails is not written: it may be either. */
    private final class Setting {
      private final Topic topic;
      private final IntConsumer change;
      private int most;
      private @Nullable Long since;

      Setting(Topic topic, IntConsumer change) {
        this.topic = topic;
        this.change = change;
      }

      void set(int next) {
        if (since != null) {
          database.execute(
              "INSERT INTO limit_change (topic, most, since, until) VALUES ('%s', %d, %d, %d)"
                  .formatted(topic, most, since, System.nanoTime()));
        }
        since = null;
        change.accept(next);
        most = next;
        since = System.nanoTime();
      }
    }
  }

  /**
   * Enqueues more than its topic may hold, and honors back-pressure: a burst is refused while the
   * topic is over its limit, half of them after a wait. Now and then messages of other topics go
   * before it in the transaction, and are accepted all the same: one whose handler extends its
   * timeout, more than may begin at once of those with a rate, and some that count.
   */
  static final class HastyProducer {
    private static final Logger LOG = LoggerFactory.getLogger(HastyProducer.class);
    private static final Topic FULL = new Topic(FaultTopics.LIMITED);
    private static final int BURST = 40;
    private static final int ONE_LONG_IN = 5;

    /** More than may begin of a key in a second. */
    private static final int KEY_RATED = FaultTopics.KEY_RATE + FaultTopics.KEY_RATE / 2;

    /** Enough that some add to the counter and some take what it never had. */
    private static final int COUNTED = 8;

    private static final int ONE_FAILS_IN = 4;
    private static final long BETWEEN_THE_LAST_MILLIS = 100;
    private static final Duration LONGEST_WAIT = Duration.ofMillis(1_500);

    /** A sample takes a second, and as long again until it is read. */
    private static final Duration LONGEST_VERDICT = Duration.ofSeconds(20);

    private final String url;
    private final RandomGenerator random;
    private final BackPressure capacity;
    private final MessageProducer queue;
    private final Topics topics;
    private final Client client;
    private int bursts;
    private @Nullable DepthSample refusal;
    private boolean refusedAtTheEnd;

    HastyProducer(String url, QueueDatabase database, long seed) {
      this.url = url;
      this.random = Client.seeded(seed);
      this.topics = QueueOperations.of(database.dataSource()).topics();
      MysqlDataSource dataSource = new MysqlDataSource();
      dataSource.setUrl(url);
      this.capacity = BackPressure.over(dataSource);
      this.queue = MessageProducer.create().rejectingWhenFull(capacity);
      this.client =
          new Client("hasty producer", seed, () -> attempt(BURST, random.nextBoolean()), 200, 800);
    }

    void start() {
      client.start();
    }

    void end() {
      client.end();
    }

    /** Enqueues no more, once it returns; which is not before it was refused once more. */
    void close() {
      client.close();
      // No worker handles what the last burst brings, so that it needs no more than one.
      topics.pause(FULL);
      try {
        refusedAtTheEnd = isRefused();
      } finally {
        topics.resume(FULL);
      }
    }

    /** Behind the faults, whatever they did to samples and readings, the limit holds again. */
    private boolean isRefused() {
      Instant known = capacity.sample(FULL).map(DepthSample::sampledAt).orElse(Instant.MIN);
      long end = System.nanoTime() + LONGEST_VERDICT.toNanos();
      attempt(BURST, false);
      while (refusal == null || !refusal.sampledAt().isAfter(known)) {
        if (System.nanoTime() > end) {
          return false;
        }
        Client.pause(BETWEEN_THE_LAST_MILLIS);
        attempt(1, false);
      }
      return true;
    }

    private void attempt(int count, boolean waits) {
      try {
        if (waits) {
          awaitCapacity();
        }
        commit(count);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("a burst failed", e);
      }
    }

    private void awaitCapacity() {
      try {
        capacity.await(FULL, LONGEST_WAIT);
      } catch (TopicFullException e) {
        LOG.debug("waited in vain: {}", e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void commit(int count) throws SQLException {
      try (Connection connection = DriverManager.getConnection(url)) {
        connection.setAutoCommit(false);
        List<Ledger.Entry> entries = new ArrayList<>();
        if (bursts++ % ONE_LONG_IN == 0) {
          entries.addAll(enqueue(connection, succeeding(FaultTopics.LONG), 1));
          entries.addAll(enqueue(connection, succeeding(FaultTopics.RATED), FaultTopics.RATE));
          for (String key : Workload.Mix.RATE_KEYS) {
            entries.addAll(enqueue(connection, keyRated(key), KEY_RATED));
          }
          entries.addAll(enqueue(connection, succeeding(FaultTopics.COUNTED), COUNTED));
        }
        try {
          entries.addAll(enqueue(connection, succeeding(FaultTopics.LIMITED), count));
        } catch (TopicFullException e) {
          refusal = e.sample();
        }
        Ledger.write(connection, entries);
        connection.commit();
      }
    }

    private NewMessage succeeding(String topic) {
      return NewMessage.of(topic, Action.succeeding(random.nextInt(MOST_MILLIS)));
    }

    /** Some fail, and begin once more by the rate. */
    private NewMessage keyRated(String key) {
      Ending ending = random.nextInt(ONE_FAILS_IN) == 0 ? Ending.FAIL_ONCE : Ending.SUCCEED;
      return NewMessage.of(
              FaultTopics.KEY_RATED, new Action(ending, random.nextInt(MOST_MILLIS), null))
          .withLimitKey(key);
    }

    private List<Ledger.Entry> enqueue(Connection connection, NewMessage message, int count) {
      List<MessageId> ids = queue.enqueueAll(connection, Collections.nCopies(count, message));
      return ids.stream().map(id -> Ledger.Entry.of(id, message)).toList();
    }

    /** What is broken, once the queue is empty, and while workers judge; empty if nothing is. */
    List<String> findings() {
      List<String> findings = new ArrayList<>();
      if (!refusedAtTheEnd) {
        findings.add("%s was over its limit, and the producer was not refused".formatted(FULL));
      }
      try {
        Await.that("an empty topic has room", LONGEST_VERDICT, () -> !capacity.isFull(FULL));
      } catch (AssertionError e) {
        findings.add("%s is empty, and said to be over its limit".formatted(FULL));
      }
      return findings;
    }
  }
}
