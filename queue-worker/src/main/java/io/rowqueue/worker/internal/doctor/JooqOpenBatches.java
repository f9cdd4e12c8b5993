package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;

import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Finds batches that were opened and never closed. */
final class JooqOpenBatches {

  /** The number of incomplete batches examined, by id, to limit the statement. */
  private static final int POLLED_AT = 10_000;

  private static final Field<Long> AGE_SECONDS =
      DSL.field("TIMESTAMPDIFF(SECOND, {0}, UTC_TIMESTAMP(6))", Long.class, QUEUE_BATCH.CREATED_AT)
          .as("age");

  /** A batch and its age. */
  record Unclosed(long id, Duration age) {}

  private JooqOpenBatches() {}

  /** Returns up to {@code most} batches older than {@code age}, oldest first. */
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
