package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Publication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A subscription that comes and goes, and the books of what is published meanwhile: all between the
 * return of subscribing and the call of unsubscribing has its copy, all between the return of that
 * and the next call has none. Whether the copy comes to something is what {@link Ledger} keeps.
 * Thread-safe, but for {@link #change} and {@link #publish}, each of which is one thread's.
 */
final class SubscriptionLedger implements Books {

  private static final int MOST_MILLIS = 5;

  private final QueueDatabase database;
  private final Subscriptions subscriptions;
  private final MessageProducer queue = MessageProducer.create();

  /** Another one with each change, so that who sees the same twice has seen nothing in between. */
  private volatile Phase phase = new Phase(State.UNKNOWN);

  private boolean subscribes = true;

  SubscriptionLedger(QueueDatabase database) {
    this.database = database;
    this.subscriptions = Subscriptions.of(Transactions.on(database.dataSource()));
    database.execute(
        "CREATE TABLE published (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " subscribed TINYINT NOT NULL, copies INT NOT NULL)");
  }

  /** Subscribes and unsubscribes by turns; after a failure it is unknown which of both is so. */
  void change() {
    phase = new Phase(State.UNKNOWN);
    if (subscribes) {
      subscriptions.subscribe(Deed.FLEETING_SOURCE, Deed.FLEETING);
    } else {
      boolean unused = subscriptions.unsubscribe(Deed.FLEETING_SOURCE, Deed.FLEETING);
    }
    phase = new Phase(subscribes ? State.SUBSCRIBED : State.NOT_SUBSCRIBED);
    subscribes = !subscribes;
  }

  /** Publishes one, in a transaction that takes a moment. */
  void publish(String url, RandomGenerator random) throws SQLException {
    NewMessage message =
        NewMessage.of(
            Deed.FLEETING_SOURCE, new Deed(Deed.What.SUCCEED, random.nextInt(MOST_MILLIS), null));
    Phase before = phase;
    int copies;
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      Publication publication = queue.publish(connection, message);
      copies = publication.copies().size();
      Ledger.book(connection, FeatureLedger.copies(List.of(message), List.of(publication)));
      Pauses.between(0, MOST_MILLIS, random);
      connection.commit();
    }
    if (phase == before) {
      before.book(database, copies);
    }
  }

  @Override
  public List<String> findings() {
    return database.strings(
        "SELECT CONCAT('publication ', seq, ' has ', copies, ' copies, and ',"
            + " IF(subscribed, 'one topic was', 'none was'), ' subscribed') FROM published"
            + " WHERE copies <> subscribed");
  }

  @Override
  public List<String> unused() {
    String published = "SELECT COUNT(*) FROM published WHERE subscribed = ";
    List<String> unused = new ArrayList<>();
    unused.addAll(Books.unusedIf(database, "publications within a subscription", published + "1"));
    unused.addAll(
        Books.unusedIf(database, "publications outside of a subscription", published + "0"));
    return unused;
  }

  private enum State {
    SUBSCRIBED,
    NOT_SUBSCRIBED,
    UNKNOWN
  }

  /** From one change to the next; compared by identity. */
  private static final class Phase {

    private final State state;

    Phase(State state) {
      this.state = state;
    }

    void book(QueueDatabase database, int copies) {
      if (state != State.UNKNOWN) {
        database.execute(
            "INSERT INTO published (subscribed, copies) VALUES (%d, %d)"
                .formatted(state == State.SUBSCRIBED ? 1 : 0, copies));
      }
    }
  }
}
