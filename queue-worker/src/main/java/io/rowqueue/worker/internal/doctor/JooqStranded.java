package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Finds messages claimed by workers that are dead or missing. */
final class JooqStranded {

  /** The number of rows examined, to limit the statement. */
  private static final int MOST_EXAMINED = 1_000;

  private static final byte ALIVE = 1;

  /** Since the worker was declared dead; if its row is missing, since the claim. */
  private static final Field<Long> SECONDS =
      DSL.field(
              "TIMESTAMPDIFF(SECOND, {0}, UTC_TIMESTAMP(6))",
              Long.class, DSL.coalesce(QUEUE_WORKER.UPDATED_AT, QUEUE_MESSAGE.UPDATED_AT))
          .as("seconds");

  /** A message and its worker. */
  record Stranded(long id, String topic, String lockId, Duration since) {}

  private JooqStranded() {}

  /** Returns those stranded for longer than {@code longest}. */
  static List<Stranded> forLongerThan(Duration longest, Transactions transactions) {
    return transactions
        .read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.LOCK_ID, SECONDS)
                    .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                    .leftJoin(QUEUE_WORKER)
                    .on(QUEUE_WORKER.LOCK_ID.eq(QUEUE_MESSAGE.LOCK_ID))
                    .where(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
                    .and(QUEUE_WORKER.LOCK_ID.isNull().or(QUEUE_WORKER.IS_ALIVE.ne(ALIVE)))
                    .limit(MOST_EXAMINED)
                    .fetch())
        .stream()
        .map(
            row ->
                new Stranded(
                    row.value1(), row.value2(), row.value3(), Duration.ofSeconds(row.value4())))
        .filter(message -> message.since().compareTo(longest) > 0)
        .toList();
  }
}
