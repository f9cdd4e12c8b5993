package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.Deed;
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
          Deed.COMPLETED,
          Deed.PART,
          Deed.INNER_COMPLETED,
          Deed.STEP,
          Deed.UNKNOWN);

  private static final String MINE =
      " WHERE topic NOT IN ('%s') ORDER BY id DESC LIMIT 20"
          .formatted(String.join("', '", NOT_MINE));

  private static final String CANDIDATES = "SELECT id FROM queue_message" + MINE;

  private static final String DEAD = "SELECT id FROM queue_dead_letter" + MINE;

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
          Deed.SEALED,
          Deed.ADDING,
          Deed.PART,
          Deed.TODAY,
          Deed.FORMERLY,
          Deed.LONG);

  private final QueueDatabase database;
  private final RandomGenerator random;
  private final Thread thread = new Thread(this::run, "operator");
  private volatile boolean closed;

  Operator(QueueDatabase database, RandomGenerator random) {
    this.database = database;
    this.random = random;
  }

  void start() {
    thread.start();
  }

  private void run() {
    Transactions transactions = Transactions.on(database.dataSource());
    Messages messages = Messages.of(transactions);
    DeadLetters deadLetters = DeadLetters.of(transactions);
    Topics topics = Topics.of(transactions);
    while (!closed) {
      attempt(
          () -> {
            switch (random.nextInt(6)) {
              case 0, 1 -> cancel(messages);
              case 2 -> delay(messages);
              case 3 -> prioritize(messages);
              case 4 -> redrive(deadLetters);
              default -> discard(deadLetters);
            }
            if (random.nextInt(20) == 0) {
              pauseOne(topics);
            }
          });
      Pauses.between(10, 100, random);
    }
    TOPICS.forEach(topic -> topics.resume(new Topic(topic)));
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
  private void cancel(Messages messages) {
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

  private void delay(Messages messages) {
    for (MessageId id : some(CANDIDATES)) {
      attempt(() -> messages.reschedule(id, Duration.ofMillis(random.nextInt(500))));
    }
  }

  private void prioritize(Messages messages) {
    for (MessageId id : some(CANDIDATES)) {
      attempt(() -> messages.prioritize(id, random.nextInt(-2, 3)));
    }
  }

  private void redrive(DeadLetters deadLetters) {
    List<MessageId> ids = some(DEAD);
    LineLedger.bookRedrives(database, ids);
    deadLetters.redriveAll(ids);
  }

  private void discard(DeadLetters deadLetters) {
    List<MessageId> ids = some(DEAD);
    ids.forEach(id -> Ledger.bookRemoval(database, id));
    deadLetters.discardAll(ids);
  }

  private void pauseOne(Topics topics) {
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
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
