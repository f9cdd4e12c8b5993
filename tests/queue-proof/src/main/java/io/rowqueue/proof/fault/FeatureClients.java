package io.rowqueue.proof.fault;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.AwaitTimeoutException;
import io.rowqueue.DeadLetterException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.ResultUnavailableException;
import io.rowqueue.Results;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.body.JooqBodySweep;
import io.rowqueue.internal.body.Sha256;
import io.rowqueue.internal.body.StoredBodySweep;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.proof.fault.plugin.Timetable;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Uses subscriptions, schedules, results, streams and the counter. */
final class FeatureClients {

  private static final int MOST_MILLIS = 5;

  /** Fewer than handler threads, so that two meet in one slot now and then. */
  private static final int SLOTS = 4;

  private static final int SWEPT = 500;

  private FeatureClients() {}

  static void makeCounter(QueueDatabase database) {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      boolean unused = ShardedCounter.create().make(connection, FaultTopics.COUNTED, SLOTS);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException("the counter cannot be made", e);
    }
  }

  /** Sweeps payloads as workers do when they start and every ten minutes, once nobody enqueues. */
  static List<String> sweepPayloads(QueueDatabase database, BodyStore store) throws IOException {
    Transactions transactions = Transactions.on(database.dataSource());
    int unusedRows = new JooqBodySweep(transactions).sweepAll(SWEPT);
    StoredBodySweep stored = new StoredBodySweep(transactions, Set.of(store));
    int unusedStored = stored.sweepRows(SWEPT);
    int unusedFiles = stored.sweepStores(Duration.ZERO);
    List<String> left = new ArrayList<>();
    List<String> named = database.strings("SELECT reference FROM queue_payload_ref");
    try (Stream<String> all = store.olderThan(Duration.ZERO)) {
      List<String> there = all.toList();
      there.stream()
          .filter(reference -> !named.contains(reference))
          .forEach(reference -> left.add("no row refers to the payload " + reference));
      named.stream()
          .filter(reference -> !there.contains(reference))
          .forEach(reference -> left.add("a row refers to no payload: " + reference));
    }
    return left;
  }

  /**
   * Subscribes and unsubscribes a topic by turns, and publishes meanwhile. {@link #change} and
   * {@link #publish} are one thread's each.
   */
  static final class Subscriber {
    private final QueueDatabase database;
    private final String url;
    private final RandomGenerator random;
    private final Subscriptions subscriptions;
    private final MessageProducer queue = MessageProducer.create();

    /** Another one with each change, so that who reads the same twice has missed no change. */
    private volatile Phase phase = new Phase(null);

    private boolean subscribes = true;

    Subscriber(QueueDatabase database, String url, long seed) {
      this.database = database;
      this.url = url;
      this.random = Client.seeded(seed);
      this.subscriptions = QueueOperations.of(database.dataSource()).subscriptions();
    }

    /** After a failure it is unknown whether the topic is subscribed. */
    void change() {
      phase = new Phase(null);
      if (subscribes) {
        subscriptions.subscribe(FaultTopics.FLEETING_SOURCE, FaultTopics.FLEETING);
      } else {
        boolean unused =
            subscriptions.unsubscribe(FaultTopics.FLEETING_SOURCE, FaultTopics.FLEETING);
      }
      phase = new Phase(subscribes);
      subscribes = !subscribes;
    }

    /** Publishes one, in a transaction that takes a moment. */
    void publish() throws SQLException {
      NewMessage message =
          NewMessage.of(
              FaultTopics.FLEETING_SOURCE, Action.succeeding(random.nextInt(MOST_MILLIS)));
      Phase before = phase;
      int copies;
      try (Connection connection = DriverManager.getConnection(url)) {
        connection.setAutoCommit(false);
        Publication publication = queue.publish(connection, message);
        copies = publication.copies().size();
        Ledger.write(connection, Ledger.copies(List.of(message), List.of(publication)));
        Client.pause(0, MOST_MILLIS, random);
        connection.commit();
      }
      Boolean subscribed = before.subscribed;
      if (phase == before && subscribed != null) {
        database.execute(
            "INSERT INTO published (subscribed, copies) VALUES (%d, %d)"
                .formatted(subscribed ? 1 : 0, copies));
      }
    }

    /** From one change to the next; compared by identity. */
    private static final class Phase {
      private final @Nullable Boolean subscribed;

      Phase(@Nullable Boolean subscribed) {
        this.subscribed = subscribed;
      }
    }
  }

  /** Pauses the schedules of {@link Timetable} now and then, so that runs are missed. */
  static final class Pauser {
    private static final List<String> KINDS =
        List.of(Timetable.SECOND_ONCE, Timetable.CRON_ONCE, Timetable.CRON_SKIP);

    private static final int LEAST_PAUSE_MILLIS = 500;
    private static final int MOST_PAUSE_MILLIS = 2_500;
    private static final long BETWEEN_QUERIES_MILLIS = 100;
    private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(20);

    /** More than one run of the second; and of the others one that is late beyond its grace. */
    private static final String MISSED =
        "SELECT COUNT(*) FROM queue_schedule s JOIN queue_schedule t WHERE s.name = '%s'"
                .formatted(Timetable.SECOND_ONCE)
            + " AND s.next_at < UTC_TIMESTAMP(6) - INTERVAL 1500 * 1000 MICROSECOND"
            + " AND t.name LIKE '%s%%'".formatted(Timetable.CRON_SKIP)
            + " AND t.next_at < UTC_TIMESTAMP(6) - INTERVAL %d MICROSECOND"
                .formatted(TimeUnit.NANOSECONDS.toMicros(Timetable.GRACE.toNanos()) + 500_000);

    private final QueueDatabase database;
    private final RandomGenerator random;
    private final Schedules schedules;

    /** Null while they run, or if it is not known whether they do. */
    private @Nullable Long pausedAt;

    private @Nullable Long resumedAt;

    Pauser(QueueDatabase database, long seed) {
      this.database = database;
      this.random = Client.seeded(seed);
      this.schedules = QueueOperations.of(database.dataSource()).schedules();
    }

    private long now() {
      return database.count("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))");
    }

    void pauseForAWhile() {
      try {
        pause();
        Client.pause(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS, random);
      } finally {
        resume();
      }
    }

    /** No schedule of any kind runs, once it returns. */
    void pauseAll() {
      boolean unused = schedules.pause(FaultTopics.TICK);
      pause();
    }

    private void pause() {
      boolean all = true;
      for (Schedule schedule : Timetable.all()) {
        all &= schedules.pause(schedule.name());
      }
      pausedAt = all ? now() : null;
    }

    private void resume() {
      Long from = pausedAt;
      pausedAt = null;
      if (from != null) {
        database.execute("INSERT INTO schedule_pause VALUES (%d, %d)".formatted(from, now()));
      }
      Timetable.all().forEach(schedule -> schedules.resume(schedule.name()));
    }

    /** They were paused for so long that runs were missed; waits for that, and resumes them. */
    void resumeAll() {
      try {
        await("a run is missed", LONGEST_OUTAGE, MISSED);
        resumedAt = now();
        resume();
      } catch (AssertionError e) {
        resumedAt = null;
      }
    }

    /** What is broken, once the faults are over and while workers live; empty if nothing is. */
    List<String> findings(Duration longest) {
      try {
        Long since = resumedAt;
        if (since == null) {
          return List.of("the faults are over, and no run of a schedule was missed in a pause");
        }
        String moved = "SELECT COUNT(*) FROM schedule_move WHERE moved_at > " + since;
        await("missed runs are made up for", longest, moved + " AND ran = 1 AND moment > due");
        await("missed runs are skipped", longest, moved + " AND ran = 0");
        for (String kind : KINDS) {
          await(
              kind + " runs",
              longest,
              "SELECT COUNT(*) FROM scheduled_run WHERE schedule LIKE '%s%%' AND moment > %d"
                  .formatted(kind, since));
        }
        return List.of();
      } catch (AssertionError e) {
        return List.of("the faults are over, and schedules do not run: " + e.getMessage());
      } finally {
        pause();
      }
    }

    private void await(String what, Duration longest, String query) {
      long unused =
          Await.until(
              what,
              longest,
              () -> {
                Client.pause(BETWEEN_QUERIES_MILLIS);
                return database.count(query);
              },
              count -> count > 0);
    }
  }

  /**
   * Awaits results with one {@link Results} from the first fault to the last: whatever they do to
   * its connection, it answers again. Confined to one thread at a time.
   */
  static final class Asker implements AutoCloseable {
    /** So short that some are over before an answer comes. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private static final int MOST_HANDLED_MILLIS = 300;

    /** So long that the poll with which a wait begins finds nothing, and no longer. */
    private static final int NOTIFIED_MILLIS = 70;

    /**
     * A wait polls when it begins and then not before so long: only a notification ends it sooner.
     */
    private static final long BETWEEN_POLLS_MILLIS = 1_000;

    private final QueueDatabase database;
    private final String url;
    private final RandomGenerator random;
    private final Recorder recorder = new Recorder(MessageProducer.create());
    private final MessageProducer queue = recorder.proxy();
    private final Results results;

    Asker(QueueDatabase database, String url, long seed) {
      this.database = database;
      this.url = url;
      this.random = Client.seeded(seed);
      MysqlDataSource dataSource = new MysqlDataSource();
      dataSource.setUrl(url);
      this.results = Results.over(dataSource);
    }

    void ask() throws SQLException, InterruptedException {
      Ending ending =
          switch (random.nextInt(10)) {
            case 0, 1 -> Ending.FAIL_ONCE;
            case 2 -> Ending.REJECT;
            default -> Ending.SUCCEED;
          };
      if (random.nextBoolean()) {
        var unused = enqueueAndAwait(ending);
      } else {
        var unused = enqueueThenAwait(ending);
      }
    }

    private static NewMessage message(Ending ending, int millis) {
      return NewMessage.of(FaultTopics.RESULT, new Action(ending, millis, null));
    }

    private String enqueueThenAwait(Ending ending) throws SQLException, InterruptedException {
      NewMessage message = message(ending, random.nextInt(MOST_HANDLED_MILLIS));
      MessageId id;
      try (Connection connection = DriverManager.getConnection(url)) {
        connection.setAutoCommit(false);
        id = queue.enqueue(connection, message);
        Ledger.write(connection, List.of(Ledger.Entry.of(id, message)));
        connection.commit();
      }
      return awaited(() -> results.await(id, Integer.class, LONGEST), () -> id);
    }

    /** Returns whether a notification has ended the wait. */
    private boolean enqueueAndAwait(Ending ending) throws InterruptedException {
      NewMessage message = message(ending, NOTIFIED_MILLIS);
      String outcome =
          awaited(
              () -> results.enqueueAndAwait(queue, message, Integer.class, LONGEST),
              () -> Objects.requireNonNull(recorder.last));
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - recorder.lastNanos);
      return outcome.equals("ANSWERED") && millis < BETWEEN_POLLS_MILLIS;
    }

    /** Writes how the wait ended, and returns it. */
    private String awaited(PiggybackQuery question, Supplier<MessageId> id)
        throws InterruptedException {
      long deadline = System.nanoTime() + LONGEST.toNanos();
      Integer answer = null;
      String outcome = "ANSWERED";
      try {
        answer = question.ask();
      } catch (DeadLetterException e) {
        outcome = "DEAD";
      } catch (ResultUnavailableException e) {
        outcome = "GONE";
      } catch (AwaitTimeoutException e) {
        outcome = "TIMEOUT";
      }
      long late = Math.max(0, System.nanoTime() - deadline);
      database.execute(
          "INSERT INTO awaited VALUES (%d, '%s', %s, %d)"
              .formatted(id.get().value(), outcome, answer, TimeUnit.NANOSECONDS.toMillis(late)));
      return outcome;
    }

    /** What is broken, once the faults are over and while workers live; empty if nothing is. */
    List<String> findings(Duration longest, Duration longestSilence) {
      List<String> findings = new ArrayList<>();
      try {
        Await.until(
            "one is answered", longest, () -> enqueueThenAwait(Ending.SUCCEED), "ANSWERED"::equals);
      } catch (AssertionError e) {
        findings.add("the faults are over, and an awaited result is not answered");
      }
      try {
        Await.until(
            "a notification ends a wait",
            longestSilence,
            () -> enqueueAndAwait(Ending.SUCCEED),
            notified -> notified);
      } catch (AssertionError e) {
        findings.add("the faults are over, and no notification ends a wait");
      }
      return findings;
    }

    @Override
    public void close() {
      results.close();
    }

    /** Waits for an answer. */
    private interface PiggybackQuery {
      @Nullable Integer ask() throws InterruptedException;
    }
  }

  /**
   * A producer that writes to the ledger what it enqueues in transactions of its own, in those
   * transactions, and remembers the last message.
   */
  private static final class Recorder implements InvocationHandler {
    private final MessageProducer producer;
    private @Nullable MessageId last;
    private long lastNanos;

    Recorder(MessageProducer producer) {
      this.producer = producer;
    }

    MessageProducer proxy() {
      return (MessageProducer)
          Proxy.newProxyInstance(
              Recorder.class.getClassLoader(), new Class<?>[] {MessageProducer.class}, this);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object[] arguments)
        throws Throwable {
      if (method.isDefault()) {
        return InvocationHandler.invokeDefault(proxy, method, arguments);
      }
      if (method.getName().equals("enqueueAllWithResults")
          && arguments[0] instanceof DataSource dataSource) {
        List<NewMessage> messages = new ArrayList<>();
        ((Collection<?>) Objects.requireNonNull(arguments[1]))
            .forEach(each -> messages.add((NewMessage) each));
        return enqueueAllWithResults(dataSource, messages);
      }
      try {
        return method.invoke(producer, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private List<EnqueueResult> enqueueAllWithResults(
        DataSource dataSource, List<NewMessage> messages) {
      List<EnqueueResult> offers =
          Transactions.on(dataSource)
              .ringing(WorkerNotifier.over(dataSource))
              .run(
                  Transition.ENQUEUE,
                  tx -> {
                    List<EnqueueResult> made =
                        producer.enqueueAllWithResults(tx.connectionForProducers(), messages);
                    Ledger.write(tx.connection(), Ledger.entries(messages, made));
                    return made;
                  });
      last = offers.get(offers.size() - 1).id();
      lastNanos = System.nanoTime();
      return offers;
    }
  }

  /**
   * Enqueues payloads as streams, by turns beside their rows and in a store, and rolls back each
   * third. They are small for streams, but for what a claim reads, and many have several chunks.
   */
  static final class Streamer {
    private static final int LEAST_BYTES = 100_000;
    private static final int MOST_BYTES = 300_000;
    private static final int ONE_ROLLED_BACK_IN = 3;

    private final String url;
    private final RandomGenerator random;
    private final MessageProducer inRows = MessageProducer.create();
    private final MessageProducer inFiles;
    private int count;

    Streamer(String url, BodyStore store, long seed) {
      this.url = url;
      this.random = Client.seeded(seed);
      this.inFiles = MessageProducer.create().storing(store, Workload.STORED_FROM);
    }

    void stream() throws SQLException {
      int number = count++;
      byte[] bytes = new byte[random.nextInt(LEAST_BYTES, MOST_BYTES)];
      random.nextBytes(bytes);
      try (Connection connection = DriverManager.getConnection(url)) {
        connection.setAutoCommit(false);
        stream(connection, number % 2 == 0, bytes);
        if (number % ONE_ROLLED_BACK_IN == 0) {
          connection.rollback();
          Ledger.insert(connection, "INSERT INTO stream_rolled_back VALUES ()");
        }
        connection.commit();
      }
    }

    private void stream(Connection connection, boolean rows, byte[] bytes) throws SQLException {
      MessageId id =
          (rows ? inRows : inFiles)
              .enqueue(
                  connection,
                  NewMessage.streamed(FaultTopics.STREAMED, () -> new ByteArrayInputStream(bytes)));
      Ledger.insert(
          connection,
          "INSERT INTO streamed VALUES (?, ?, ?, ?)",
          id.value(),
          rows ? "ROWS" : "FILES",
          bytes.length,
          HexFormat.of().formatHex(Sha256.digest().digest(bytes)));
      // Without a filler: the invariants of that are those of payloads that are no streams.
      Ledger.write(
          connection,
          List.of(
              new Ledger.Entry(id, FaultTopics.STREAMED, Ending.SUCCEED.name(), null, null, 0)));
    }
  }
}
