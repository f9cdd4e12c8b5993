package io.rowqueue.proof.security;

import io.rowqueue.database.Transactions;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.QueueDatabase;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** What services and operators do with subscriptions, over their account. */
final class SubscriptionPlays {

  private final QueueDatabase database;
  private final Subscriptions subscriptions;

  SubscriptionPlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.subscriptions = Subscriptions.of(Transactions.on(account));
  }

  /** One that somebody has made. */
  static void row(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_source VALUES ('play', 1)",
        "INSERT INTO queue_subscription VALUES ('play', 'there', 0)");
  }

  void addTo(Plays plays) {
    plays.add("subscriptions add", () -> subscriptions.subscribe("play", "new"));
    plays.add("subscriptions list", () -> subscriptions.list());
    addChange(plays, "mute", () -> subscriptions.mute("play", "there"));
    addChange(plays, "unmute", () -> subscriptions.unmute("play", "there"));
    addChange(plays, "remove", () -> subscriptions.unsubscribe("play", "there"));
  }

  private void addChange(Plays plays, String command, BooleanSupplier change) {
    plays.add(
        "subscriptions " + command,
        () -> {
          row(database);
          if (!change.getAsBoolean()) {
            throw new AssertionError("it had no effect");
          }
        });
  }
}
