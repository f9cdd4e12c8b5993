package io.rowqueue.proof.fault;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.DeduplicationLedger.Holder;
import io.rowqueue.proof.fault.DeduplicationLedger.Keying;
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
 * Offers messages under few keys again and again, beside others who do the same, in transactions
 * that take a moment, and that are rolled back now and then. Confined to one thread.
 */
final class Repeater {

  private static final int ONE_ROLLED_BACK_IN = 8;
  private static final int MOST_MILLIS = 20;
  private static final int LONGEST_DELAY_MILLIS = 300;
  private static final int LONGEST_TRANSACTION_MILLIS = 5;

  private final String url;
  private final RandomGenerator random;
  private final MessageProducer queue = MessageProducer.create();

  Repeater(String url, RandomGenerator random) {
    this.url = url;
    this.random = random;
  }

  /** Offers some messages of one topic, in one call: two would take their keys in no one order. */
  void offer() throws SQLException {
    String topic = Keyed.TOPICS.get(random.nextInt(Keyed.TOPICS.size()));
    List<Keying> keyings =
        DeduplicationLedger.keys(topic).stream()
            .filter(key -> random.nextBoolean())
            .map(key -> keying(topic, key))
            .toList();
    try (Connection connection = open()) {
      List<Offer> unused = offer(connection, keyings);
      if (random.nextInt(ONE_ROLLED_BACK_IN) == 0) {
        connection.rollback();
      } else {
        connection.commit();
      }
    }
  }

  /**
   * What is broken, once the faults are over and the queue is empty: nothing holds a key then. What
   * it offers is to be handled.
   */
  List<String> findings() throws SQLException {
    List<String> findings = new ArrayList<>();
    for (String topic : Keyed.TOPICS) {
      List<Keying> keyings =
          DeduplicationLedger.keys(topic).stream().map(key -> keying(topic, key)).toList();
      try (Connection connection = open()) {
        for (Offer offer : offer(connection, keyings)) {
          if (offer.outcome() != Offer.Outcome.INSERTED) {
            findings.add(
                "the queue is empty, and %s holds a key of %s".formatted(offer.id(), topic));
          }
        }
        connection.commit();
      }
    }
    return findings;
  }

  private Keying keying(String topic, String key) {
    return new Keying(topic, key, random.nextLong(Long.MAX_VALUE));
  }

  private Connection open() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    // While a message lives is an old story in a snapshot, and a look must see what is so now.
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  private List<Offer> offer(Connection connection, List<Keying> keyings) throws SQLException {
    List<@Nullable Holder> before = new ArrayList<>();
    for (Keying keying : keyings) {
      before.add(DeduplicationLedger.before(connection, keying.key()));
    }
    List<NewMessage> messages = keyings.stream().map(this::message).toList();
    List<Offer> offers = queue.offerAll(connection, messages);
    Ledger.book(connection, FeatureLedger.entries(messages, offers));
    Pauses.between(0, LONGEST_TRANSACTION_MILLIS, random);
    for (int i = 0; i < keyings.size(); i++) {
      DeduplicationLedger.book(connection, keyings.get(i), offers.get(i), before.get(i));
    }
    return offers;
  }

  private NewMessage message(Keying keying) {
    Deed deed = new Deed(what(), random.nextInt(MOST_MILLIS), Long.toString(keying.content()));
    NewMessage message =
        NewMessage.of(keying.topic(), deed).withDeduplication(rule(keying.topic(), keying.key()));
    return random.nextBoolean()
        ? message.withDelay(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS)))
        : message;
  }

  private Deduplication rule(String topic, String key) {
    return switch (topic) {
      case Keyed.ALIVE -> Deduplication.whileAlive(key);
      case Keyed.WAITING -> Deduplication.whileWaiting(key);
      default -> {
        Deduplication replacing = Deduplication.whileWaiting(key).replacing();
        yield random.nextBoolean() ? replacing : replacing.keepingDueTime();
      }
    };
  }

  private What what() {
    return switch (random.nextInt(20)) {
      case 0, 1 -> What.FAIL_ONCE;
      case 2 -> What.REJECT;
      case 3 -> What.GIVE_BACK;
      default -> What.SUCCEED;
    };
  }
}
