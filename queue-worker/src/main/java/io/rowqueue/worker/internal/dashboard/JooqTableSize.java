package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The engine's estimate of the number of messages.
 *
 * @param rows the estimate
 * @param at its time, by the database's clock
 */
record JooqTableSize(long rows, Instant at) {

  /** Reads it; null if the account has no access to the table. */
  static @Nullable JooqTableSize read(Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.select(
                    DSL.field("COALESCE(TABLE_ROWS, 0)", SQLDataType.BIGINT), DatabaseClock.now())
                .from(DSL.table("information_schema.TABLES"))
                .where(DSL.condition("TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'queue_message'"))
                .fetchOne(row -> new JooqTableSize(row.value1(), row.value2())));
  }
}
