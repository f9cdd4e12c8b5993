package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits, and the books of how they change; whether they hold is the journals' to tell ({@link
 * LimitAudit}). Thread-safe, but for {@link #change}.
 */
final class LimitLedger implements Books {

  private static final Topic LIMITED = new Topic(Deed.LIMITED);
  private static final Topic WIDE = new Topic(Deed.WIDE);
  private static final Topic KEY_RATED = new Topic(Deed.KEY_RATED);

  /** With one, it would be a line like others, which dead letters hold. */
  private static final int LEAST_WIDE = 2;

  private final QueueDatabase database;
  private final Topics topics;

  /** Confined to the thread that changes them. */
  private int changes;

  LimitLedger(QueueDatabase database) {
    this.database = database;
    this.topics = Topics.of(Transactions.on(database.dataSource()));
    database.execute(
        "CREATE TABLE limited (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " topic VARCHAR(64) NOT NULL, most INT NOT NULL)");
    topics.limitDepth(LIMITED, Deed.MOST_DEEP);
    topics.limitPerSecond(new Topic(Deed.RATED), Deed.RATE);
    topics.limitKeyInFlight(KEY_RATED, Deed.MOST_KEY_RATED);
    topics.limitKeyPerSecond(KEY_RATED, Deed.KEY_RATE);
    raise();
  }

  /** Every limit is as high as it ever is. */
  void raise() {
    topics.limitInFlight(LIMITED, Deed.MOST_LIMITED);
    topics.limitKeyInFlight(WIDE, Deed.MOST_WIDE);
  }

  /** Changes both, up or down. */
  void change() {
    int limited = 1 + changes % Deed.MOST_LIMITED;
    int wide = LEAST_WIDE + changes % (Deed.MOST_WIDE - LEAST_WIDE + 1);
    changes++;
    topics.limitInFlight(LIMITED, limited);
    book(LIMITED, limited);
    topics.limitKeyInFlight(WIDE, wide);
    book(WIDE, wide);
  }

  private void book(Topic topic, int most) {
    database.execute("INSERT INTO limited (topic, most) VALUES ('%s', %d)".formatted(topic, most));
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
    for (Topic topic : List.of(LIMITED, WIDE)) {
      String changes = "SELECT COUNT(*) FROM limited WHERE topic = '%s'";
      unused.addAll(
          Books.unusedIf(database, "changed limits of " + topic, changes.formatted(topic)));
    }
    return unused;
  }
}
