package io.rowqueue.body;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;

/** Messages and dead letters, asked for together: one statement has one snapshot of both. */
final class JooqOwners {

  private JooqOwners() {}

  /** Those of {@code ids} that are neither, in their order. */
  static List<Long> without(DSLContext dsl, List<Long> ids) {
    Set<Long> owned =
        new HashSet<>(
            dsl.select(QUEUE_MESSAGE.ID)
                .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                .where(QUEUE_MESSAGE.ID.in(ids))
                .unionAll(
                    dsl.select(QUEUE_DEAD_LETTER.ID)
                        .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                        .where(QUEUE_DEAD_LETTER.ID.in(ids)))
                .fetch(QUEUE_MESSAGE.ID));
    return ids.stream().filter(id -> !owned.contains(id)).toList();
  }
}
