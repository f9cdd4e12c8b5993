package io.rowqueue.proof.fault;

import io.rowqueue.enqueue.DuplicateMessageException;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.DeduplicationLedger.Answer;
import io.rowqueue.proof.fault.DeduplicationLedger.Holder;
import io.rowqueue.proof.fault.DeduplicationLedger.Keying;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Deed.What;
import io.rowqueue.proof.fault.plugin.Keyed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A transaction with one call that offers messages under keys, with the looks and the books of it.
 * Where the call may be refused, something else is in the transaction, and in some calls.
 */
final class KeyedCall implements AutoCloseable {

  private static final int ONE_MORE_IN = 4;
  private static final int MOST_MILLIS = 20;
  private static final int LONGEST_DELAY_MILLIS = 300;
  private static final int LONGEST_TRANSACTION_MILLIS = 5;

  private static final NewMessage BESIDE =
      NewMessage.of(Deed.ALONE, new Deed(What.SUCCEED, 0, null));

  private final Connection connection;
  private final boolean inSnapshot;
  private final List<Keying> keyings;
  private final List<@Nullable Holder> before = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();

  private KeyedCall(Connection connection, boolean inSnapshot, List<Keying> keyings) {
    this.connection = connection;
    this.inSnapshot = inSnapshot;
    this.keyings = keyings;
  }

  /**
   * One that has not looked yet.
   *
   * @param inSnapshot whether it is one in REPEATABLE READ; else in READ COMMITTED
   */
  static KeyedCall open(String url, boolean inSnapshot, List<Keying> keyings) throws SQLException {
    return new KeyedCall(DriverManager.getConnection(url), inSnapshot, keyings);
  }

  /** Looks what holds the keys, and begins then: its snapshot is not older than the looks. */
  void begin() throws SQLException {
    for (Keying keying : keyings) {
      before.add(DeduplicationLedger.before(connection, keying.key()));
    }
    connection.setTransactionIsolation(
        inSnapshot
            ? Connection.TRANSACTION_REPEATABLE_READ
            : Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
  }

  /** Offers a message for each key, once it has begun, and books what comes of it. */
  void offer(MessageProducer queue, RandomGenerator random) throws SQLException {
    List<NewMessage> call = new ArrayList<>();
    keyings.forEach(keying -> call.add(message(keying, random)));
    List<Entry> entries = new ArrayList<>();
    if (keyings.stream().anyMatch(keying -> keying.topic().equals(Keyed.REFUSED))) {
      if (random.nextInt(ONE_MORE_IN) == 0) {
        call.add(BESIDE);
      }
      entries.add(Entry.of(queue.enqueue(connection, BESIDE), Deed.ALONE, BESIDE));
    }
    try {
      List<Offer> offers = queue.offerAll(connection, call);
      entries.addAll(FeatureLedger.entries(call, offers));
      for (int i = 0; i < keyings.size(); i++) {
        answer(i, offers.get(i).outcome().name(), offers.get(i).id().value());
      }
    } catch (DuplicateMessageException e) {
      // Nobody's, if it is not said whose.
      long holder = e.first().map(MessageId::value).orElse(-1L);
      answer(place(e), DeduplicationLedger.REFUSED, holder);
    }
    Ledger.book(connection, entries);
    Pauses.between(0, LONGEST_TRANSACTION_MILLIS, random);
    for (Answer answer : answers) {
      DeduplicationLedger.book(connection, answer);
    }
  }

  private static NewMessage message(Keying keying, RandomGenerator random) {
    String content = Long.toString(keying.content());
    NewMessage message =
        NewMessage.of(keying.topic(), new Deed(what(random), random.nextInt(MOST_MILLIS), content))
            .withDeduplication(rule(keying.topic(), keying.key(), random));
    return random.nextBoolean()
        ? message.withDelay(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS)))
        : message;
  }

  private static Deduplication rule(String topic, String key, RandomGenerator random) {
    return switch (topic) {
      case Keyed.ALIVE -> Deduplication.whileAlive(key);
      case Keyed.REFUSED -> Deduplication.whileAlive(key).refusing();
      case Keyed.WAITING -> Deduplication.whileWaiting(key);
      default -> {
        Deduplication replacing = Deduplication.whileWaiting(key).replacing();
        yield random.nextBoolean() ? replacing : replacing.keepingDueTime();
      }
    };
  }

  private static What what(RandomGenerator random) {
    return switch (random.nextInt(20)) {
      case 0, 1 -> What.FAIL_ONCE;
      case 2 -> What.REJECT;
      case 3 -> What.GIVE_BACK;
      default -> What.SUCCEED;
    };
  }

  private void answer(int place, String outcome, long holder) {
    answers.add(new Answer(keyings.get(place), outcome, holder, before.get(place), inSnapshot));
  }

  /** The place of the key that {@code refusal} is about. */
  private int place(DuplicateMessageException refusal) {
    List<String> keys = keyings.stream().map(Keying::key).toList();
    return keys.indexOf(refusal.key());
  }

  /** What was answered for each key; for the one that was refused alone, if one was. */
  List<Answer> answers() {
    return List.copyOf(answers);
  }

  void commit() throws SQLException {
    connection.commit();
  }

  /** Takes back what was not committed. */
  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
