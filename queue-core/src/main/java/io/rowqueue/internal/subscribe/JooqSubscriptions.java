package io.rowqueue.internal.subscribe;

import static io.rowqueue.internal.table.Tables.QUEUE_PUBLICATION_LOCK;
import static io.rowqueue.internal.table.Tables.QUEUE_SUBSCRIPTION;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

public final class JooqSubscriptions implements Subscriptions {

  /** A change that waits for open publications blocks those behind it, so the wait is limited. */
  private static final int SHORT_WAIT_SECONDS = 1;

  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private static final byte MUTED = 1;
  private static final byte AUDIBLE = 0;

  private final Transactions transactions;

  public JooqSubscriptions(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public void subscribe(String source, String topic) {
    Subscription wanted = Subscription.of(source, topic);
    boolean unused = change(Transition.SUBSCRIBE, wanted);
  }

  /** One transaction per subscription, so that none blocks publications under another source. */
  @Override
  public int declare(Collection<Subscription> declared) {
    if (declared.isEmpty()) {
      return 0;
    }
    Set<Subscription> there = new HashSet<>(transactions.read(JooqSubscriptions::there));
    Set<String> missing = new TreeSet<>();
    for (Subscription each : declared) {
      if (!there.contains(each) && missing.add(each.toString())) {
        subscribe(each.source().name(), each.topic().name());
      }
    }
    return missing.size();
  }

  private static List<Subscription> there(DSLContext dsl) {
    return dsl.select(QUEUE_SUBSCRIPTION.SOURCE, QUEUE_SUBSCRIPTION.TOPIC)
        .from(QUEUE_SUBSCRIPTION)
        .fetch(row -> Subscription.of(row.value1(), row.value2()));
  }

  @Override
  public boolean unsubscribe(String source, String topic) {
    return change(Transition.UNSUBSCRIBE, Subscription.of(source, topic));
  }

  @Override
  public boolean pause(String source, String topic) {
    return change(Transition.MUTE, Subscription.of(source, topic));
  }

  @Override
  public boolean resume(String source, String topic) {
    return change(Transition.UNMUTE, Subscription.of(source, topic));
  }

  private boolean change(Transition transition, Subscription subscription) {
    try {
      return transactions.run(
          transition,
          tx -> alone(tx, subscription, dsl -> write(transition, dsl, subscription)) > 0);
    } catch (DatabaseUnavailableException e) {
      throw isLockWait(e) ? publishing(transition, subscription, e) : e;
    }
  }

  private static boolean isLockWait(DatabaseUnavailableException e) {
    return e.getCause() instanceof DataAccessException failure
        && failure.getCause() instanceof SQLException answer
        && answer.getErrorCode() == LOCK_WAIT_TIMEOUT;
  }

  private static DatabaseUnavailableException publishing(
      Transition transition, Subscription subscription, DatabaseUnavailableException e) {
    return new DatabaseUnavailableException(
        "%s of %s failed, and nothing has changed: a transaction that has published under '%s' is still open; it ends with its COMMIT, and sys.innodb_lock_waits (MySQL) or information_schema.innodb_trx (MariaDB) shows its owner"
            .formatted(transition.label(), subscription, subscription.source()),
        e);
  }

  /** Drivers count found rows, so 1 means that the row exists, even if the value is unchanged. */
  private static int write(Transition transition, DSLContext dsl, Subscription subscription) {
    return switch (transition) {
      case SUBSCRIBE -> insert(dsl, subscription);
      case UNSUBSCRIBE -> dsl.deleteFrom(QUEUE_SUBSCRIPTION).where(is(subscription)).execute();
      case MUTE -> pause(dsl, subscription, MUTED);
      case UNMUTE -> pause(dsl, subscription, AUDIBLE);
      default -> throw new IllegalArgumentException(transition.label());
    };
  }

  private static int pause(DSLContext dsl, Subscription subscription, byte paused) {
    return dsl.update(QUEUE_SUBSCRIPTION)
        .set(QUEUE_SUBSCRIPTION.PAUSED, paused)
        .where(is(subscription))
        .execute();
  }

  private static int insert(DSLContext dsl, Subscription wanted) {
    return dsl.insertInto(QUEUE_SUBSCRIPTION)
        .set(QUEUE_SUBSCRIPTION.SOURCE, wanted.source().name())
        .set(QUEUE_SUBSCRIPTION.TOPIC, wanted.topic().name())
        .onDuplicateKeyIgnore()
        .execute();
  }

  private static Condition is(Subscription subscription) {
    return QUEUE_SUBSCRIPTION
        .SOURCE
        .eq(subscription.source().name())
        .and(QUEUE_SUBSCRIPTION.TOPIC.eq(subscription.topic().name()));
  }

  /**
   * Runs {@code change} while no transaction publishes under the source. A new subscription may
   * have to wait a second time: in REPEATABLE READ a publication also locks the gaps next to its
   * own source's rows.
   */
  private static int alone(
      Transaction tx, Subscription subscription, ToIntFunction<DSLContext> change) {
    DSLContext dsl = tx.dsl();
    return SessionSettings.with(
        dsl,
        "innodb_lock_wait_timeout",
        SHORT_WAIT_SECONDS,
        () -> {
          dsl.insertInto(QUEUE_PUBLICATION_LOCK)
              .set(QUEUE_PUBLICATION_LOCK.SOURCE, subscription.source().name())
              .set(QUEUE_PUBLICATION_LOCK.VERSION, 1L)
              .onDuplicateKeyUpdate()
              .set(QUEUE_PUBLICATION_LOCK.VERSION, QUEUE_PUBLICATION_LOCK.VERSION.plus(1))
              .execute();
          return change.applyAsInt(dsl);
        });
  }

  @Override
  public List<SubscriptionDetails> list() {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_SUBSCRIPTION.SOURCE, QUEUE_SUBSCRIPTION.TOPIC, QUEUE_SUBSCRIPTION.PAUSED)
                .from(QUEUE_SUBSCRIPTION)
                .orderBy(QUEUE_SUBSCRIPTION.SOURCE, QUEUE_SUBSCRIPTION.TOPIC)
                .fetch(
                    row ->
                        new SubscriptionDetails(
                            row.value1(), row.value2(), row.value3() == MUTED)));
  }

  @Override
  public List<Topic> topics(String source) {
    String name = new Topic(source).name();
    return list().stream()
        .filter(each -> each.source().equals(name) && !each.paused())
        .map(each -> new Topic(each.topic()))
        .toList();
  }
}
