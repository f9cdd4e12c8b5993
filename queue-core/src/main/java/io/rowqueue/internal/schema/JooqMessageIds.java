package io.rowqueue.internal.schema;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;
import static io.rowqueue.internal.table.Tables.QUEUE_PROGRESS;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;

import io.rowqueue.internal.schema.MessageIds.Restarted;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The statements of {@link MessageIds}. */
final class JooqMessageIds {

  private static final String NEXT =
      "SELECT COALESCE(AUTO_INCREMENT, 1) FROM information_schema.TABLES WHERE TABLE_SCHEMA ="
          + " DATABASE() AND TABLE_NAME = 'queue_message'";

  /** Otherwise MySQL's view may be a day old. */
  private static final String FRESH = "SET SESSION information_schema_stats_expiry = 0";

  /** Each is the first column of an index, so that its maximum is a single lookup. */
  private static final List<TableField<?, Long>> KNOWN =
      List.of(
          QUEUE_ATTEMPT.MESSAGE_ID,
          QUEUE_DEAD_LETTER.ID,
          QUEUE_ARCHIVE.ID,
          QUEUE_RESULT.MESSAGE_ID,
          QUEUE_PROGRESS.MESSAGE_ID,
          QUEUE_CANCEL_REQUEST.MESSAGE_ID,
          QUEUE_PAYLOAD_CHUNK.MESSAGE_ID,
          QUEUE_PAYLOAD_REF.MESSAGE_ID);

  private JooqMessageIds() {}

  static @Nullable Restarted find(DSLContext dsl, SQLDialect dialect) {
    Field<Long> highest =
        KNOWN.stream()
            .map(id -> DSL.field(DSL.select(DSL.max(id)).from(id.getTable())))
            .map(max -> DSL.coalesce(max, 0L))
            .reduce((one, other) -> DSL.greatest(one, other))
            .orElseThrow();
    long known = dsl.select(highest).fetchSingle().value1();
    if (dialect == SQLDialect.MYSQL) {
      dsl.execute(FRESH);
    }
    long next = dsl.fetchSingle(NEXT).get(0, Long.class);
    return next > known ? null : new Restarted(next, known);
  }

  static int raise(DSLContext dsl, Restarted restarted) {
    int inserted =
        dsl.insertInto(QUEUE_MESSAGE)
            .set(QUEUE_MESSAGE.ID, restarted.highest())
            .set(QUEUE_MESSAGE.TOPIC, "rowqueue.ids")
            .set(QUEUE_MESSAGE.PAYLOAD, new byte[0])
            .onDuplicateKeyIgnore()
            .execute();
    return inserted == 0
        ? 0
        : dsl.deleteFrom(QUEUE_MESSAGE).where(QUEUE_MESSAGE.ID.eq(restarted.highest())).execute();
  }
}
