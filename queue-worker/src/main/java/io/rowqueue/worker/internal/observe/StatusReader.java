package io.rowqueue.worker.internal.observe;

import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopicNames;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;

/**
 * Reads the status of a queue, without locks. All reads share one snapshot, so that a message that
 * moves is counted once. Thread-safe.
 */
public final class StatusReader {

  private final Transactions transactions;

  public StatusReader(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns the current status. Counts every message, which takes about a second per million.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public QueueStatus read() {
    return read(QueueCounts.UNLIMITED);
  }

  /**
   * Returns the current status; each count stops at {@code most}.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public QueueStatus read(long most) {
    return transactions.readSnapshot(
        dsl -> {
          List<ListedWorker> workers = WorkerReader.read(dsl);
          Set<String> names = JooqTopicNames.ofMessages(dsl, Integer.MAX_VALUE);
          names.addAll(JooqTopicNames.ofDeadLetters(dsl, Integer.MAX_VALUE));
          workers.forEach(worker -> names.addAll(worker.status().topics()));
          return read(dsl, workers, names, most);
        });
  }

  /**
   * Returns the current status of one topic, and all workers; each count stops at {@code most}.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public QueueStatus read(String topic, long most) {
    return transactions.readSnapshot(dsl -> read(dsl, WorkerReader.read(dsl), Set.of(topic), most));
  }

  private static QueueStatus read(
      DSLContext dsl, List<ListedWorker> workers, Set<String> names, long most) {
    Instant now = dsl.select(DatabaseClock.now()).fetchSingle().value1();
    List<TopicStatus> topics =
        QueueCounts.read(dsl, names, QueueCounts.Query.all(most)).entrySet().stream()
            .map(topic -> TopicStatus.of(topic.getKey(), topic.getValue()))
            .toList();
    return new QueueStatus(now, topics, workers);
  }
}
