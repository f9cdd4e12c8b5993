package io.rowqueue.worker.cli;

import static io.rowqueue.table.Tables.QUEUE_WORKER;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.TopicNames;
import io.rowqueue.worker.observe.WorkerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Reads the workers alone, where a status would count every message, too. */
final class JooqWorkerList {

  private JooqWorkerList() {}

  /**
   * One worker that nobody has declared dead.
   *
   * @param startedAt when it took its lock_id
   * @param draining whether somebody has asked it to drain
   */
  record Listed(WorkerStatus status, Instant startedAt, boolean draining) {}

  /** Those that are not declared dead, by lock_id. */
  static List<Listed> read(Transactions queue) {
    return queue.read(
        dsl ->
            dsl.select(
                    DatabaseClock.now(),
                    QUEUE_WORKER.LOCK_ID,
                    QUEUE_WORKER.HOST,
                    QUEUE_WORKER.PID,
                    QUEUE_WORKER.VERSION,
                    QUEUE_WORKER.LEASE_UNTIL,
                    QUEUE_WORKER.TOPICS,
                    QUEUE_WORKER.STARTED_AT,
                    QUEUE_WORKER.DRAINING)
                .from(QUEUE_WORKER)
                .where(QUEUE_WORKER.ALIVE.eq((byte) 1))
                .orderBy(QUEUE_WORKER.LOCK_ID)
                .fetch(
                    row ->
                        new Listed(
                            new WorkerStatus(
                                row.value2(),
                                row.value3(),
                                row.value4(),
                                row.value5(),
                                Duration.between(row.value1(), row.value6()),
                                TopicNames.split(row.value7())),
                            row.value8(),
                            row.value9() == 1)));
  }
}
