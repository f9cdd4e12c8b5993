package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;

import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Batches that somebody opened and never sealed. */
final class JooqOpenBatches {

  /** Of those that are not complete, the first by their ids, so that the look stays short. */
  private static final int POLLED_AT = 10_000;

  private static final Field<Long> AGE_SECONDS =
      DSL.field("TIMESTAMPDIFF(SECOND, {0}, UTC_TIMESTAMP(6))", Long.class, QUEUE_BATCH.CREATED_AT)
          .as("age");

  /** One of them. */
  record Unclosed(long id, Duration age) {}

  private JooqOpenBatches() {}

  /** Those that are older than {@code age}, the oldest first, {@code most} at most. */
  static List<Unclosed> olderThan(Duration age, int most, Transactions transactions) {
    return transactions
        .read(
            dsl ->
                dsl.select(QUEUE_BATCH.ID, QUEUE_BATCH.CLOSED, AGE_SECONDS)
                    .from(QUEUE_BATCH.forceIndex("queue_batch_by_completion"))
                    .where(QUEUE_BATCH.COMPLETED_AT.isNull())
                    .orderBy(QUEUE_BATCH.ID)
                    .limit(POLLED_AT)
                    .fetch())
        .stream()
        .filter(row -> row.value2() == 0)
        .map(row -> new Unclosed(row.value1(), Duration.ofSeconds(row.value3())))
        .filter(batch -> batch.age().compareTo(age) > 0)
        .limit(most)
        .toList();
  }
}
