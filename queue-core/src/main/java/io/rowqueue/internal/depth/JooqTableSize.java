package io.rowqueue.internal.depth;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The engine's estimate of the number of messages and of dead letters.
 *
 * @param rows messages
 * @param deadLetters dead letters
 * @param at its time, by the database's clock
 */
public record JooqTableSize(long rows, long deadLetters, Instant at) {

  /** Reads it; null if the account has no access to the table. */
  public static @Nullable JooqTableSize read(Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.select(rows("queue_message"), rows("queue_dead_letter"), DatabaseClock.now())
                .from(DSL.table("information_schema.TABLES"))
                .where(
                    DSL.condition(
                        "TABLE_SCHEMA = DATABASE()"
                            + " AND TABLE_NAME IN ('queue_message', 'queue_dead_letter')"))
                .having(DSL.count().eq(2))
                .fetchOne(row -> new JooqTableSize(row.value1(), row.value2(), row.value3())));
  }

  private static Field<Long> rows(String table) {
    return DSL.field(
        "CAST(SUM(IF(TABLE_NAME = {0}, COALESCE(TABLE_ROWS, 0), 0)) AS SIGNED)",
        SQLDataType.BIGINT, DSL.inline(table));
  }
}
