package io.rowqueue.worker.internal.observe;

import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;

/** Reads the workers only, since a status counts every message. Thread-safe. */
public final class WorkerReader {

  private final Transactions transactions;

  public WorkerReader(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns those not declared dead, by lock_id.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public List<ListedWorker> read() {
    return transactions.read(WorkerReader::read);
  }

  static List<ListedWorker> read(DSLContext dsl) {
    return dsl.select(
            DatabaseClock.now(),
            QUEUE_WORKER.LOCK_ID,
            QUEUE_WORKER.HOST,
            QUEUE_WORKER.PID,
            QUEUE_WORKER.VERSION,
            QUEUE_WORKER.LEASE_UNTIL,
            QUEUE_WORKER.TOPICS,
            QUEUE_WORKER.STARTED_AT,
            QUEUE_WORKER.DRAINING,
            QUEUE_WORKER.PAUSED,
            QUEUE_WORKER.THREADS,
            QUEUE_WORKER.BUSY_THREADS,
            QUEUE_WORKER.HANDLED,
            QUEUE_WORKER.HANDLED_PER_SECOND,
            QUEUE_WORKER.MEMORY_USED,
            QUEUE_WORKER.MEMORY_MAX)
        .from(QUEUE_WORKER)
        .where(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
        .orderBy(QUEUE_WORKER.LOCK_ID)
        .fetch(
            row ->
                new ListedWorker(
                    new WorkerStatus(
                        row.value2(),
                        row.value3(),
                        row.value4(),
                        row.value5(),
                        Duration.between(row.value1(), row.value6()),
                        TopicNames.split(row.value7())),
                    row.value8(),
                    row.value9() == 1,
                    row.value10() == 1,
                    row.value11() == null
                        ? null
                        : new WorkerLoad(
                            row.value11(),
                            row.value12(),
                            row.value13(),
                            row.value14(),
                            row.value15(),
                            row.value16())));
  }
}
