package io.rowqueue.proof.fault;

import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Prepares ordering keys, and offers messages under deduplication keys that are held while their
 * message lives or waits. What is written of an offer, in its own transaction, is what the producer
 * saw before and after it; whether that is right is for the invariants to say.
 */
final class KeyClients {

  /** The outcome of an offer that was refused, with all of its call. */
  static final String REFUSED = "REFUSED";

  /** So few keys of each topic that most are held when they come again. */
  private static final int KEYS = 3;

  /** What has not been claimed, or waits for its next attempt. */
  private static final String WAITS = "state IN (0, 2, 3, 4)";

  private KeyClients() {}

  /** Sets what becomes of dead letters with ordering keys, and makes the rows of all keys. */
  static void prepare(QueueDatabase database) {
    Topics topics = QueueOperations.of(database.dataSource()).topics();
    // The dead letters of these would block their keys, and no client redrives them.
    for (String topic : List.of(FaultTopics.ORDERED, FaultTopics.FORMER)) {
      topics.onDeadLetter(new Topic(topic), DeadLetterPolicy.SKIP);
    }
    topics.onDeadLetter(new Topic(FaultTopics.HELD), DeadLetterPolicy.BLOCK);
    Map.of(
            FaultTopics.ORDERED, Workload.Mix.ORDERING_KEYS,
            FaultTopics.HELD, Workload.Mix.HELD_KEYS,
            FaultTopics.KEY_LIMITED, Workload.Mix.LIMIT_KEYS,
            FaultTopics.FORMER, Workload.Mix.FORMER_KEYS)
        .forEach((topic, keys) -> keys.forEach(key -> makeOrderingKey(database, topic, key)));
    FaultTopics.KEYED.forEach(
        topic ->
            keys(topic)
                .forEach(
                    key ->
                        make(
                            database,
                            "queue_deduplication (dedup_id, topic, dedup_key, version, updated_at)",
                            topic,
                            key)));
  }

  /**
   * Two workers that make the row of a new ordering key while a third, which is killed, rolls back
   * its own meet a deadlock (docs/guides/ordering.md). Three producers that wait for a new
   * deduplication key whose first producer rolls back do so, too (docs/internals/decisions). Both
   * are repeated and harmless, and would hide other deadlocks: here no key is new but those of a
   * {@link Meeting}, which two clients have at most, and each of them once.
   */
  static void makeOrderingKey(QueueDatabase database, String topic, String key) {
    make(
        database,
        "queue_ordering_group (group_id, topic, ordering_key, version, updated_at)",
        topic,
        key);
  }

  private static void make(QueueDatabase database, String table, String topic, String key) {
    database.execute(
        ("INSERT INTO %3$s VALUES (UNHEX(LEFT(SHA2(CONCAT('%1$s', CHAR(0), CONVERT('%2$s' USING"
                + " utf8mb4)), 256), 32)), '%1$s', '%2$s', %4$d, UTC_TIMESTAMP(6))")
            .formatted(topic, key, table, table.startsWith("queue_ordering_member") ? 0 : 1));
  }

  /** The deduplication keys of {@code topic}; no other topic has them. */
  static List<String> keys(String topic) {
    return IntStream.range(0, KEYS).mapToObj(number -> topic + "-" + number).toList();
  }

  /** Where two threads wait for each other, to do one thing at one moment. Thread-safe. */
  static final class Meeting {
    private static final int LONGEST_WAIT_MILLIS = 250;
    private final Exchanger<Long> numbers = new Exchanger<>();
    private final AtomicLong last = new AtomicLong();

    /** The number of this meeting, which both are given; empty if the other does not come. */
    OptionalLong await() {
      long mine = last.incrementAndGet();
      try {
        return OptionalLong.of(
            Math.max(mine, numbers.exchange(mine, LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS)));
      } catch (TimeoutException e) {
        return OptionalLong.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return OptionalLong.empty();
      }
    }
  }

  /**
   * Offers messages under few keys again and again, and now and then under a new one, in
   * transactions that take a moment and are rolled back now and then. There are two of them, and no
   * third (see {@link #makeOrderingKey}). Two in snapshots that confirm what is gone would meet a
   * deadlock, too: so one alone has snapshots where keys are held while messages wait, and offers
   * under one key then.
   */
  static final class Repeater {
    private static final int ONE_ROLLED_BACK_IN = 8;
    private static final int ONE_NEW_IN = 4;

    private final String url;
    private final Supplier<OptionalLong> meetings;
    private final boolean waitsInSnapshots;
    private final RandomGenerator random;
    private final MessageProducer queue = MessageProducer.create();

    /**
     * One that has offered nothing yet.
     *
     * @param meetings gives numbers of new keys, each of which another may have got, too
     * @param waitsInSnapshots whether it offers in REPEATABLE READ where keys are held while
     *     messages wait; where they are held while messages live, all do
     */
    Repeater(String url, Supplier<OptionalLong> meetings, boolean waitsInSnapshots, long seed) {
      this.url = url;
      this.meetings = meetings;
      this.waitsInSnapshots = waitsInSnapshots;
      this.random = Client.seeded(seed);
    }

    /** Offers messages of one topic in one call: two would take their keys in different orders. */
    void offer() throws SQLException {
      OptionalLong number = random.nextInt(ONE_NEW_IN) == 0 ? meetings.get() : OptionalLong.empty();
      List<String> keys = new ArrayList<>();
      String topic;
      if (number.isPresent()) {
        // Both who have met take one topic and one key. They have used up two numbers.
        topic = FaultTopics.KEYED.get((int) (number.getAsLong() / 2 % FaultTopics.KEYED.size()));
        keys.addAll(random.nextBoolean() ? some(topic) : List.of());
        keys.add(topic + "-new-" + number.getAsLong());
      } else {
        topic = FaultTopics.KEYED.get(random.nextInt(FaultTopics.KEYED.size()));
        keys.addAll(some(topic));
      }
      offer(topic, keys);
    }

    private List<String> some(String topic) {
      return keys(topic).stream().filter(key -> random.nextBoolean()).toList();
    }

    private void offer(String topic, List<String> keys) throws SQLException {
      boolean lives = FaultTopics.KEYED_WHILE_ALIVE.contains(topic);
      boolean inSnapshot = random.nextBoolean() && (lives || waitsInSnapshots);
      List<String> mine =
          inSnapshot && !lives ? keys.subList(Math.max(0, keys.size() - 1), keys.size()) : keys;
      try (Call call = Call.open(url, inSnapshot, offered(topic, mine))) {
        call.begin();
        call.offer(queue, random);
        if (random.nextInt(ONE_ROLLED_BACK_IN) > 0) {
          call.commit();
        }
      }
    }

    /**
     * What is broken, once the faults are over and the queue is empty: nothing holds a key then.
     * What it offers is to be handled.
     */
    List<String> findings() throws SQLException {
      List<String> findings = new ArrayList<>();
      for (String topic : FaultTopics.KEYED) {
        try (Call call = Call.open(url, false, offered(topic, keys(topic)))) {
          call.begin();
          call.offer(queue, random);
          call.answers().stream()
              .filter(answer -> !answer.isInserted())
              .map(
                  answer ->
                      "the queue is empty, and %d holds a key of %s".formatted(answer.id, topic))
              .forEach(findings::add);
          call.commit();
        }
      }
      return findings;
    }

    private List<Offered> offered(String topic, List<String> keys) {
      return keys.stream()
          .map(key -> new Offered(topic, key, random.nextLong(Long.MAX_VALUE)))
          .toList();
    }
  }

  /** What is offered under a key. */
  record Offered(String topic, String key, long content) {}

  /** The last message of a key as it was seen. */
  record Holder(long id, boolean gone, @Nullable Integer claims) {}

  /** What came of an offer. */
  record Answer(Offered offered, String outcome, long id, @Nullable Holder before) {
    private boolean isInserted() {
      return outcome.equals(EnqueueResult.Outcome.INSERTED.name());
    }
  }

  /**
   * A transaction with one call that offers messages under keys, and what is written of it. Where
   * the call may be refused, something else is in the transaction, and in some calls.
   */
  static final class Call implements AutoCloseable {
    private static final int ONE_MORE_IN = 4;
    private static final int MOST_MILLIS = 20;
    private static final int LONGEST_DELAY_MILLIS = 300;
    private static final int LONGEST_TRANSACTION_MILLIS = 5;
    private static final NewMessage OTHER = NewMessage.of(FaultTopics.ALONE, Action.succeeding(0));

    private final Connection connection;
    private final boolean inSnapshot;
    private final List<Offered> offered;
    private final List<@Nullable Holder> before = new ArrayList<>();
    private final List<Answer> answers = new ArrayList<>();

    private Call(Connection connection, boolean inSnapshot, List<Offered> offered) {
      this.connection = connection;
      this.inSnapshot = inSnapshot;
      this.offered = offered;
    }

    /** One that has not begun. */
    static Call open(String url, boolean inSnapshot, List<Offered> offered) throws SQLException {
      return new Call(DriverManager.getConnection(url), inSnapshot, offered);
    }

    /** Reads what holds the keys, and begins then: its snapshot is not older. */
    void begin() throws SQLException {
      for (Offered each : offered) {
        before.add(lastOf(each.key));
      }
      connection.setTransactionIsolation(
          inSnapshot
              ? Connection.TRANSACTION_REPEATABLE_READ
              : Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
    }

    private @Nullable Holder lastOf(String key) throws SQLException {
      return query(
          "SELECT k.message_id, f.message_id IS NOT NULL, m.claim_number FROM keyed k"
              + " LEFT JOIN effect f ON f.message_id = k.message_id"
              + " LEFT JOIN queue_message m ON m.id = k.message_id AND m."
              + WAITS
              + " WHERE k.dedup_key = ? ORDER BY k.message_id DESC LIMIT 1",
          row -> new Holder(row.getLong(1), row.getBoolean(2), row.getObject(3, Integer.class)),
          key);
    }

    /** Offers a message for each key, once it has begun, and writes what comes of it. */
    void offer(MessageProducer queue, RandomGenerator random) throws SQLException {
      List<NewMessage> messages = new ArrayList<>();
      offered.forEach(each -> messages.add(message(each, random)));
      List<Ledger.Entry> entries = new ArrayList<>();
      if (offered.stream().anyMatch(each -> each.topic.equals(FaultTopics.KEYED_REFUSED))) {
        if (random.nextInt(ONE_MORE_IN) == 0) {
          messages.add(OTHER);
        }
        entries.add(Ledger.Entry.of(queue.enqueue(connection, OTHER), OTHER));
      }
      try {
        List<EnqueueResult> offers = queue.enqueueAllWithResults(connection, messages);
        entries.addAll(Ledger.entries(messages, offers));
        for (int i = 0; i < offered.size(); i++) {
          answer(i, offers.get(i).outcome().name(), offers.get(i).id().value());
        }
      } catch (DuplicateMessageException e) {
        // No message's, if it is not said whose.
        long holder = e.first().map(MessageId::value).orElse(-1L);
        answer(offered.stream().map(Offered::key).toList().indexOf(e.key()), REFUSED, holder);
      }
      Ledger.write(connection, entries);
      Client.pause(0, LONGEST_TRANSACTION_MILLIS, random);
      for (Answer answer : answers) {
        write(answer);
      }
    }

    private void answer(int place, String outcome, long holder) {
      answers.add(new Answer(offered.get(place), outcome, holder, before.get(place)));
    }

    private static NewMessage message(Offered offered, RandomGenerator random) {
      Ending ending =
          switch (random.nextInt(20)) {
            case 0, 1 -> Ending.FAIL_ONCE;
            case 2 -> Ending.REJECT;
            case 3 -> Ending.RELEASE;
            default -> Ending.SUCCEED;
          };
      Action action =
          new Action(ending, random.nextInt(MOST_MILLIS), Long.toString(offered.content));
      NewMessage message =
          NewMessage.of(offered.topic, action).withDeduplication(rule(offered, random));
      return random.nextBoolean()
          ? message.withDelay(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS)))
          : message;
    }

    private static Deduplication rule(Offered offered, RandomGenerator random) {
      String key = offered.key;
      return switch (offered.topic) {
        case FaultTopics.KEYED_ALIVE -> Deduplication.whileAlive(key);
        case FaultTopics.KEYED_REFUSED -> Deduplication.whileAlive(key).refusing();
        case FaultTopics.KEYED_WAITING -> Deduplication.whileWaiting(key);
        default -> {
          Deduplication replacing = Deduplication.whileWaiting(key).replacing();
          yield random.nextBoolean() ? replacing : replacing.keepingDueTime();
        }
      };
    }

    /**
     * As late in the transaction as can be, so that a key or a message that another gets hold of
     * meanwhile is seen. A snapshot's state will do where keys are held while messages live, since
     * it decides there; and it knows what the transaction itself has written.
     */
    private void write(Answer answer) throws SQLException {
      Holder last = answer.before;
      Ledger.insert(
          connection,
          "INSERT INTO keyed (topic, dedup_key, message_id, outcome, content, gone, beside, state,"
              + " fresh, in_snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          answer.offered.topic,
          answer.offered.key,
          answer.id,
          answer.outcome,
          answer.offered.content,
          last != null && last.gone ? last.id : null,
          answer.isInserted() ? beside(answer) : null,
          answer.isInserted()
              ? null
              : query(
                  "SELECT state FROM queue_message WHERE id = ?", row -> row.getInt(1), answer.id),
          last == null,
          inSnapshot);
    }

    /**
     * The one before that still holds the key. Where it is to wait for that, it may have been
     * claimed when the key was taken, and wait again now: only one that was not claimed between the
     * two readings has waited all the time. A snapshot does not know whether it still waits; one
     * that is being claimed is skipped then: to wait for its lock might be a deadlock.
     */
    private @Nullable Long beside(Answer answer) throws SQLException {
      Long other =
          query(
              "SELECT MAX(message_id) FROM keyed WHERE dedup_key = ? AND message_id < ?",
              row -> row.getObject(1, Long.class),
              answer.offered.key,
              answer.id);
      if (other == null) {
        return null;
      }
      boolean lives = FaultTopics.KEYED_WHILE_ALIVE.contains(answer.offered.topic);
      Holder last = answer.before;
      Boolean holds =
          query(
              "SELECT claim_number, "
                  + WAITS
                  + " FROM queue_message WHERE id = ?"
                  + (inSnapshot && !lives ? " FOR UPDATE SKIP LOCKED" : ""),
              row ->
                  lives
                      || (row.getBoolean(2)
                          && last != null
                          && other == last.id
                          && last.claims != null
                          && last.claims == row.getInt(1)),
              other);
      return Boolean.TRUE.equals(holds) ? other : null;
    }

    private <T> @Nullable T query(String sql, Reader<T> reader, Object... values)
        throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < values.length; i++) {
          statement.setObject(i + 1, values[i]);
        }
        try (ResultSet row = statement.executeQuery()) {
          return row.next() ? reader.read(row) : null;
        }
      }
    }

    /** What was answered for each key; for the one that was refused alone, if one was. */
    List<Answer> answers() {
      return List.copyOf(answers);
    }

    void commit() throws SQLException {
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }

  private interface Reader<T> {
    @Nullable T read(ResultSet row) throws SQLException;
  }
}
