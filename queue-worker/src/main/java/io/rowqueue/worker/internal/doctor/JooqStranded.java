package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Finds messages claimed by workers that are dead or missing, or whose lease has expired. */
final class JooqStranded {

  /** Those that are returned. */
  private static final int MOST = 1_000;

  private static final byte ALIVE = 1;

  private static final Condition EXPIRED =
      QUEUE_WORKER.IS_ALIVE.eq(ALIVE).and(QUEUE_WORKER.LEASE_UNTIL.lt(DatabaseClock.now()));

  /**
   * Since the worker's lease expired, or it was declared dead; if its row is missing, since the
   * claim.
   */
  private static final Field<Long> SECONDS =
      DSL.field(
              "TIMESTAMPDIFF(SECOND, {0}, UTC_TIMESTAMP(6))",
              Long.class,
              DSL.when(EXPIRED, QUEUE_WORKER.LEASE_UNTIL)
                  .otherwise(DSL.coalesce(QUEUE_WORKER.UPDATED_AT, QUEUE_MESSAGE.UPDATED_AT)))
          .as("seconds");

  /** A message and its worker. */
  record Stranded(long id, String topic, String lockId, Duration since) {}

  private JooqStranded() {}

  /** Returns the first thousand, the oldest first. */
  static List<Stranded> read(Transactions transactions) {
    return transactions
        .read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.LOCK_ID, SECONDS)
                    .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                    .leftJoin(QUEUE_WORKER)
                    .on(QUEUE_WORKER.LOCK_ID.eq(QUEUE_MESSAGE.LOCK_ID))
                    .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                    .and(
                        QUEUE_WORKER
                            .LOCK_ID
                            .isNull()
                            .or(QUEUE_WORKER.IS_ALIVE.ne(ALIVE))
                            .or(EXPIRED))
                    .orderBy(SECONDS.desc(), QUEUE_MESSAGE.ID)
                    .limit(MOST)
                    .fetch())
        .stream()
        .map(
            row ->
                new Stranded(
                    row.value1(), row.value2(), row.value3(), Duration.ofSeconds(row.value4())))
        .toList();
  }
}
