package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Keyed;
import io.rowqueue.proof.fault.plugin.StreamHandler;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Somebody who interferes all the time: cancels, reschedules and prioritizes messages, redrives and
 * discards dead letters, pauses topics for a moment. Whatever fails for a fault is left; the books
 * know what was meant to be taken out.
 */
final class Operator implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Operator.class);

  /**
   * A firing, a completion, a part or a step that is taken out would be one that is missing; and
   * what nobody knows is left alone by workers, as can only be seen if operators leave it alone,
   * too.
   */
  private static final List<String> NOT_MINE =
      List.of(
          Deed.OUTSIDE,
          Deed.TICK,
          Deed.FIRED,
          Deed.COMPLETED,
          Deed.PART,
          Deed.INNER_COMPLETED,
          Deed.STEP,
          Deed.UNKNOWN);

  private static final String MINE =
      " WHERE topic NOT IN ('%s')".formatted(String.join("', '", NOT_MINE));

  private static final String NEWEST = " ORDER BY id DESC LIMIT 20";

  private static final String CANDIDATES = "SELECT id FROM queue_message" + MINE + NEWEST;

  /** A poison that comes back would end workers while no fault strikes that explains it. */
  private static final String DEAD =
      "SELECT id FROM queue_dead_letter"
          + MINE
          + " AND id NOT IN (SELECT message_id FROM enqueued WHERE what = '%s')"
              .formatted(Deed.What.KILL)
          + NEWEST;

  private static final List<String> TOPICS =
      List.of(
          Deed.ALONE,
          Deed.SHARED,
          Deed.BATCH,
          Deed.OUTSIDE,
          Deed.ORDERED,
          Deed.HELD,
          Deed.RESULT,
          Deed.LIMITED,
          Deed.WIDE,
          Deed.RATED,
          Deed.KEY_RATED,
          Deed.COUNTED,
          Deed.FLEETING,
          Deed.SEALED,
          Keyed.ALIVE,
          Keyed.REFUSED,
          Keyed.WAITING,
          Keyed.REPLACED,
          StreamHandler.TOPIC,
          Deed.ADDING,
          Deed.PART,
          Deed.TODAY,
          Deed.FORMERLY,
          Deed.LONG);

  private final QueueDatabase database;
  private final RandomGenerator random;
  private final Messages messages;
  private final DeadLetters deadLetters;
  private final Topics topics;
  private final Person person;

  Operator(QueueDatabase database, RandomGenerator random) {
    this.database = database;
    this.random = random;
    Transactions transactions = Transactions.on(database.dataSource());
    this.messages = Messages.of(transactions);
    this.deadLetters = DeadLetters.of(transactions);
    this.topics = Topics.of(transactions);
    this.person = new Person("operator", random, this::interfere, 10, 100);
  }

  void start() {
    person.start();
  }

  private void interfere() {
    attempt(
        () -> {
          switch (random.nextInt(6)) {
            case 0, 1 -> cancel();
            case 2 -> delay();
            case 3 -> prioritize();
            case 4 -> redrive();
            default -> discard();
          }
          if (random.nextInt(20) == 0) {
            pauseOne();
          }
        });
  }

  private void attempt(Runnable deed) {
    try {
      deed.run();
    } catch (RefusedException e) {
      LOG.debug("refused, as messages in flight are: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.debug("an operator's change failed", e);
    }
  }

  /** Books first that it is meant to go: whether it went may remain unknown. */
  private void cancel() {
    for (MessageId id : some(CANDIDATES)) {
      Ledger.bookRemoval(database, id);
      try {
        messages.cancel(id);
        CancelLedger.book(database, id);
      } catch (RefusedException e) {
        Ledger.strikeOutRemoval(database, id);
      }
    }
  }

  private void delay() {
    for (MessageId id : some(CANDIDATES)) {
      attempt(() -> messages.reschedule(id, Duration.ofMillis(random.nextInt(500))));
    }
  }

  private void prioritize() {
    for (MessageId id : some(CANDIDATES)) {
      attempt(() -> messages.prioritize(id, random.nextInt(-2, 3)));
    }
  }

  private void redrive() {
    List<MessageId> ids = some(DEAD);
    LineLedger.bookRedrives(database, ids);
    deadLetters.redriveAll(ids);
  }

  private void discard() {
    List<MessageId> ids = some(DEAD);
    ids.forEach(id -> Ledger.bookRemoval(database, id));
    deadLetters.discardAll(ids);
  }

  private void pauseOne() {
    Topic topic = new Topic(TOPICS.get(random.nextInt(TOPICS.size())));
    try {
      topics.pause(topic);
      Pauses.between(0, 300, random);
    } finally {
      // A pause that failed may have been committed all the same.
      topics.resume(topic);
    }
  }

  /** A few of those that {@code query} finds. */
  private List<MessageId> some(String query) {
    return database.strings(query).stream()
        .filter(id -> random.nextInt(5) == 0)
        .map(id -> new MessageId(Long.parseLong(id)))
        .toList();
  }

  /** Interferes no more, once it returns, and leaves no topic paused. */
  @Override
  public void close() {
    person.close();
    TOPICS.forEach(topic -> attempt(() -> topics.resume(new Topic(topic))));
  }
}
