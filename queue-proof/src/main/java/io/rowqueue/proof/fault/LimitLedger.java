package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits, and the books of how they change; whether they hold is the journals' to tell ({@link
 * LimitAudit}, {@link HeededAudit}). Thread-safe, but for {@link #change}.
 */
final class LimitLedger implements Books {

  private static final Topic LIMITED = new Topic(Deed.LIMITED);
  private static final Topic WIDE = new Topic(Deed.WIDE);
  private static final Topic KEY_RATED = new Topic(Deed.KEY_RATED);

  /** With one, it would be a line like others, which dead letters hold. */
  private static final int LEAST_WIDE = 2;

  /** Changes: both are as low as they ever are behind so many, and behind the first. */
  private static final int ONE_STAYS_IN = 18;

  /** So long that all must heed them for a while. */
  private static final Duration STAY = Limit.HEEDED_AFTER.plusMillis(1_500);

  /** The key of {@link Deed#WIDE} that bursts have for themselves. */
  static final String BURST_KEY = "burst";

  /** Of a topic or a key: more than ever may be at work at one time. */
  private static final int BURST = 8;

  /** So long that they would be at work at one time, also where it takes a while to claim them. */
  private static final int BURST_MILLIS = 200;

  private static final int FIRST = -128;

  private final QueueDatabase database;
  private final Topics topics;
  private final Setting limited;
  private final Setting wide;
  private final MessageProducer queue = MessageProducer.create();

  /** Confined to the thread that changes them, like what follows. */
  private int changes;

  private long burstsFrom = Long.MAX_VALUE;
  private long staysUntil = System.nanoTime();

  LimitLedger(QueueDatabase database) {
    this.database = database;
    this.topics = Topics.of(Transactions.on(database.dataSource()));
    database.execute(
        "CREATE TABLE limited (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " topic VARCHAR(64) NOT NULL, most INT NOT NULL, since BIGINT NOT NULL,"
            + " until BIGINT NOT NULL)");
    this.limited = new Setting(LIMITED, most -> topics.limitInFlight(LIMITED, most));
    this.wide = new Setting(WIDE, most -> topics.limitKeyInFlight(WIDE, most));
    topics.limitDepth(LIMITED, Deed.MOST_DEEP);
    topics.limitPerSecond(new Topic(Deed.RATED), Deed.RATE);
    topics.limitKeyInFlight(KEY_RATED, Deed.MOST_KEY_RATED);
    topics.limitKeyPerSecond(KEY_RATED, Deed.KEY_RATE);
    raise();
  }

  /** Every limit is as high as it ever is. */
  void raise() {
    limited.set(Deed.MOST_LIMITED);
    wide.set(Deed.MOST_WIDE);
  }

  /** Changes both, up or down; or lets them stay low for some seconds, with enough to be done. */
  void change() throws SQLException {
    long now = System.nanoTime();
    if (now >= staysUntil) {
      changeBoth();
    } else if (now >= burstsFrom) {
      burstsFrom = Long.MAX_VALUE;
      burst();
    }
  }

  private void changeBoth() {
    limited.set(1 + changes % Deed.MOST_LIMITED);
    wide.set(LEAST_WIDE + changes % (Deed.MOST_WIDE - LEAST_WIDE + 1));
    if (changes % ONE_STAYS_IN == 0) {
      long now = System.nanoTime();
      burstsFrom = now + Limit.HEEDED_AFTER.toNanos();
      staysUntil = now + STAY.toNanos();
    }
    changes++;
  }

  /** Before all others of the topic, and in a line that nobody else has. */
  private void burst() throws SQLException {
    Deed deed = new Deed(Deed.What.SUCCEED, BURST_MILLIS, null);
    List<NewMessage> burst = new ArrayList<>();
    burst.addAll(Collections.nCopies(BURST, NewMessage.of(Deed.LIMITED, deed).withPriority(FIRST)));
    burst.addAll(
        Collections.nCopies(BURST, NewMessage.of(Deed.WIDE, deed).withLimitKey(BURST_KEY)));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      Ledger.book(connection, FeatureLedger.entries(burst, queue.offerAll(connection, burst)));
      connection.commit();
    }
  }

  /** None by SQL: which handlings were at one time is not in the database. */
  @Override
  public List<String> findings() {
    return List.of();
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    unused.addAll(Books.unusedTopic(database, "limits", Deed.LIMITED));
    unused.addAll(Books.unusedTopic(database, "limits by key", Deed.WIDE));
    unused.addAll(Books.unusedTopic(database, "rates", Deed.RATED));
    unused.addAll(Books.unusedTopic(database, "rates by key", Deed.KEY_RATED));
    unused.addAll(unusedStay(Deed.LIMITED, 1));
    unused.addAll(unusedStay(Deed.WIDE, LEAST_WIDE));
    for (String topic : List.of(Deed.LIMITED, Deed.WIDE)) {
      String quick = "SELECT COUNT(*) FROM limited WHERE topic = '%s' AND until - since < %d";
      unused.addAll(
          Books.unusedIf(
              database,
              "changed limits of " + topic,
              quick.formatted(topic, Limit.HEEDED_AFTER.toNanos())));
    }
    return unused;
  }

  private List<String> unusedStay(String topic, int most) {
    return Books.unusedIf(
        database,
        "lowered limits of %s that stayed".formatted(topic),
        "SELECT COUNT(*) FROM limited WHERE topic = '%s' AND most = %d AND until - since > %d"
            .formatted(topic, most, Limit.HEEDED_AFTER.toNanos()));
  }

  /** A limit that changes. One whose change fails is not booked: it may be either. */
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
            "INSERT INTO limited (topic, most, since, until) VALUES ('%s', %d, %d, %d)"
                .formatted(topic, most, since, System.nanoTime()));
      }
      since = null;
      change.accept(next);
      most = next;
      since = System.nanoTime();
    }
  }
}
