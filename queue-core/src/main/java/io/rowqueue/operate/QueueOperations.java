package io.rowqueue.operate;

import io.rowqueue.MessageLimits;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.archive.JooqArchive;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.seal.JooqKeysInUse;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import javax.sql.DataSource;

/**
 * Operations on a queue from a program: the entry point to this package. Each call runs in a
 * transaction of its own, over a connection of the data source. Immutable and thread-safe; create
 * one and reuse it.
 *
 * <pre>{@code
 * QueueOperations queue = QueueOperations.of(dataSource);
 * queue.topics().pause(new Topic("email.send"));
 * }</pre>
 */
public final class QueueOperations {

  private final Transactions transactions;

  private QueueOperations(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Operations on the queue in the schema of {@code dataSource}.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the server cannot be reached
   * @throws IllegalStateException if its sessions limit the rows that statements return or change
   */
  public static QueueOperations of(DataSource dataSource) {
    return new QueueOperations(Transactions.on(dataSource));
  }

  /** A copy that notifies idle workers by {@code notifier} of messages that became available. */
  public QueueOperations notifying(WorkerNotifier notifier) {
    return new QueueOperations(transactions.ringing(notifier));
  }

  /** Messages that wait or run: find, cancel, retry, prioritize. */
  public Messages messages() {
    return new JooqMessages(transactions);
  }

  /** Topics: pause, limits, retention, back-pressure, ordering keys. */
  public Topics topics() {
    return new JooqTopics(transactions);
  }

  /** Dead letters: list, redrive, discard. */
  public DeadLetters deadLetters() {
    return new JooqDeadLetters(transactions);
  }

  /** Schedules with JSON payloads within the default limits: set, pause, run now. */
  public Schedules schedules() {
    return new JooqSchedules(transactions);
  }

  /**
   * Schedules: set, pause, run now.
   *
   * @param codec encodes the payloads of schedules
   * @param limits the limits of their messages
   */
  public Schedules schedules(PayloadCodec codec, MessageLimits limits) {
    return new JooqSchedules(transactions, codec, Wrapping.none(), limits);
  }

  /** Subscriptions: which topics get copies of published messages. */
  public Subscriptions subscriptions() {
    return new JooqSubscriptions(transactions);
  }

  /** Batches: progress, members, cancel. */
  public Batches batches() {
    return new JooqBatches(transactions);
  }

  /** Chains: steps, cancel. */
  public Chains chains() {
    return new JooqChains(transactions);
  }

  /** Workers: drain. */
  public Workers workers() {
    return new JooqWorkers(transactions);
  }

  /** The archive of handled messages. */
  public Archive archive() {
    return new JooqArchive(transactions);
  }

  /** Which encryption keys stored payloads still need. */
  public KeysInUse keysInUse() {
    return new JooqKeysInUse(transactions);
  }
}
