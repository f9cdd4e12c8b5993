package io.rowqueue.proof.fault;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators do to messages: they cancel, reschedule and prioritize them, redrive and discard
 * dead letters, pause topics, and request the cancellation of what is in flight. What fails for a
 * fault is left; the ledger knows what was meant to be removed.
 */
final class Operators {

  private static final Logger LOG = LoggerFactory.getLogger(Operators.class);

  /**
   * A run of a schedule, a completion, a part or a step that is removed would be one that is
   * missing; and messages without a handler are left alone by workers, as can only be seen if
   * operators leave them alone, too.
   */
  private static final String CHOSEN =
      " WHERE topic NOT IN ('%s')"
          .formatted(
              String.join(
                  "', '",
                  FaultTopics.OUTSIDE,
                  FaultTopics.TICK,
                  FaultTopics.SCHEDULED,
                  FaultTopics.COMPLETED,
                  FaultTopics.PART,
                  FaultTopics.NESTED_COMPLETED,
                  FaultTopics.STEP,
                  FaultTopics.UNKNOWN));

  private static final String NEWEST = " ORDER BY id DESC LIMIT 20";
  private static final String CANDIDATES = "SELECT id FROM queue_message" + CHOSEN + NEWEST;

  /** A poison that comes back would end workers while no fault explains it. */
  private static final String DEAD =
      "SELECT id FROM queue_dead_letter"
          + CHOSEN
          + " AND id NOT IN (SELECT message_id FROM enqueued WHERE ending = 'KILL')"
          + NEWEST;

  private static final String BLOCKING =
      "SELECT id FROM queue_dead_letter WHERE topic = '%s' ORDER BY id LIMIT 50"
          .formatted(FaultTopics.HELD);

  private static final List<String> PAUSED =
      List.of(
          FaultTopics.ALONE,
          FaultTopics.SHARED,
          FaultTopics.BATCH,
          FaultTopics.OUTSIDE,
          FaultTopics.ORDERED,
          FaultTopics.HELD,
          FaultTopics.RESULT,
          FaultTopics.LIMITED,
          FaultTopics.KEY_LIMITED,
          FaultTopics.RATED,
          FaultTopics.KEY_RATED,
          FaultTopics.COUNTED,
          FaultTopics.FLEETING,
          FaultTopics.ENCRYPTED,
          FaultTopics.KEYED_ALIVE,
          FaultTopics.KEYED_REFUSED,
          FaultTopics.KEYED_WAITING,
          FaultTopics.KEYED_REPLACED,
          FaultTopics.STREAMED,
          FaultTopics.ADDING,
          FaultTopics.PART,
          FaultTopics.UPCAST,
          FaultTopics.FORMER,
          FaultTopics.LONG);

  /** Handlers of the first two honor a cancellation request; those of the others have won. */
  private static final String IN_FLIGHT =
      "SELECT id FROM queue_message WHERE state = 1 AND topic IN ('%s') ORDER BY topic = '%s' DESC,"
              .formatted(
                  String.join(
                      "', '",
                      FaultTopics.LONG,
                      FaultTopics.ENCRYPTED,
                      FaultTopics.SHARED,
                      FaultTopics.BATCH,
                      FaultTopics.LIMITED,
                      FaultTopics.KEY_LIMITED),
                  FaultTopics.LONG)
          + " id LIMIT 20";

  private final QueueDatabase database;
  private final RandomGenerator random;
  private final Messages messages;
  private final DeadLetters deadLetters;
  private final Topics topics;

  /** Of {@link #requestCancellation}, which one thread calls. */
  private final Set<String> seen = new HashSet<>();

  private boolean sparesNext;

  Operators(QueueDatabase database, long seed) {
    this.database = database;
    this.random = Client.seeded(seed);
    Transactions transactions = Transactions.on(database.dataSource());
    this.messages = new JooqMessages(transactions);
    this.deadLetters = new JooqDeadLetters(transactions);
    this.topics = new JooqTopics(transactions);
  }

  /** Does one thing to some messages, and pauses a topic now and then. */
  void interfere() {
    attempt(
        () -> {
          switch (random.nextInt(6)) {
            case 0, 1 -> cancel();
            case 2 ->
                some(CANDIDATES)
                    .forEach(
                        id ->
                            attempt(
                                () ->
                                    messages.reschedule(
                                        id, Duration.ofMillis(random.nextInt(500)))));
            case 3 ->
                some(CANDIDATES)
                    .forEach(id -> attempt(() -> messages.prioritize(id, random.nextInt(-2, 3))));
            case 4 -> {
              List<MessageId> ids = some(DEAD);
              write("redriven", ids);
              deadLetters.redriveAll(ids);
            }
            default -> {
              List<MessageId> ids = some(DEAD);
              ids.forEach(id -> Ledger.writeRemoval(database, id));
              deadLetters.discardAll(ids);
            }
          }
          if (random.nextInt(20) == 0) {
            pauseOne();
          }
        });
  }

  private static void attempt(Runnable change) {
    try {
      change.run();
    } catch (RefusedException e) {
      LOG.debug("refused, as messages in flight are: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.debug("an operator's change failed", e);
    }
  }

  /** Writes the removal first: whether it was removed may remain unknown. */
  private void cancel() {
    for (MessageId id : some(CANDIDATES)) {
      Ledger.writeRemoval(database, id);
      try {
        messages.cancel(id);
        write("cancelled", List.of(id));
      } catch (RefusedException e) {
        Ledger.deleteRemoval(database, id);
      }
    }
  }

  private void pauseOne() {
    Topic topic = new Topic(PAUSED.get(random.nextInt(PAUSED.size())));
    try {
      topics.pause(topic);
      Client.pause(0, 300, random);
    } finally {
      // A pause that failed may have been committed all the same.
      topics.resume(topic);
    }
  }

  /** No topic is paused, once it returns. */
  void resumeAll() {
    PAUSED.forEach(topic -> attempt(() -> topics.resume(new Topic(topic))));
  }

  private List<MessageId> some(String query) {
    return ids(query).stream().filter(id -> random.nextInt(5) == 0).toList();
  }

  private List<MessageId> ids(String query) {
    return database.strings(query).stream().map(id -> new MessageId(Long.parseLong(id))).toList();
  }

  private void write(String table, List<MessageId> ids) {
    ids.forEach(
        id -> database.execute("INSERT IGNORE INTO %s VALUES (%d)".formatted(table, id.value())));
  }

  /** Redrives the dead letters that block their keys; they are handled before all behind them. */
  void mend() {
    List<MessageId> blocking = ids(BLOCKING);
    write("mended", blocking);
    int unused = deadLetters.redriveAll(blocking);
  }

  /** Requests one cancellation at most; the next message that it sees behind that one goes on. */
  void requestCancellation() {
    for (String id : database.strings(IN_FLIGHT)) {
      if (seen.add(id)) {
        boolean spared = sparesNext;
        sparesNext = !spared && requestCancellation(new MessageId(Long.parseLong(id)));
        if (!spared) {
          return;
        }
      }
    }
  }

  /** The removal is never deleted once it was requested: how that ends is not known yet. */
  private boolean requestCancellation(MessageId id) {
    write("cancel_requested", List.of(id));
    Ledger.writeRemoval(database, id);
    try {
      if (messages.requestCancel(id, "the fault harness") == CancelOutcome.CANCELLED) {
        write("cancelled", List.of(id));
      }
      return true;
    } catch (RefusedException e) {
      database.execute("DELETE FROM cancel_requested WHERE message_id = %d".formatted(id.value()));
      Ledger.deleteRemoval(database, id);
      return false;
    }
  }
}
