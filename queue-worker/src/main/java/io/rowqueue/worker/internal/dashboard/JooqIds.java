package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The engine's statistics of the message table.
 *
 * @param nextId the next id; 0 if unknown
 * @param step the increment of ids
 * @param rows the estimated number of rows
 * @param at the time of the statistics, by the database's clock
 */
record JooqIds(long nextId, int step, long rows, Instant at) {

  /** Returns whether the next id is known. */
  boolean isKnown() {
    return nextId > 0;
  }

  /** Reads them; null if the account has no access to the table. */
  static @Nullable JooqIds read(Transactions transactions) {
    return transactions.read(
        dsl -> {
          Field<Instant> at = DatabaseClock.now();
          return dsl.select(
                  DSL.field("AUTO_INCREMENT", SQLDataType.BIGINT),
                  DSL.field("@@auto_increment_increment", SQLDataType.INTEGER),
                  DSL.field("TABLE_ROWS", SQLDataType.BIGINT),
                  at)
              .from(DSL.table("information_schema.TABLES"))
              .where(DSL.condition("TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'queue_message'"))
              .fetchOne(
                  row ->
                      new JooqIds(
                          orZero(row.value1()), row.value2(), orZero(row.value3()), row.value4()));
        });
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
