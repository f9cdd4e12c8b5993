package io.rowqueue.internal.body;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/** Queries payloads, messages and dead letters in one statement, and thus on one snapshot. */
final class JooqOwners {

  private static final Field<Boolean> OWNS = DSL.inline(true);
  private static final Field<Boolean> IS_OWNED = DSL.inline(false);

  private JooqOwners() {}

  /**
   * Selects those of {@code ids} that have a payload and no owner, in their order. Skips an id
   * whose payload this snapshot lacks: on a node that lags, the owner may be missing as well.
   *
   * @param body the column of the message's id in a table of payloads
   */
  static List<Long> abandoned(
      DSLContext dsl, TableField<?, Long> body, Condition which, List<Long> ids) {
    Map<Boolean, Set<Long>> found =
        dsl
            .select(body, IS_OWNED)
            .from(body.getTable())
            .where(body.in(ids))
            .and(which)
            .unionAll(
                dsl.select(QUEUE_MESSAGE.ID, OWNS)
                    .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                    .where(QUEUE_MESSAGE.ID.in(ids)))
            .unionAll(
                dsl.select(QUEUE_DEAD_LETTER.ID, OWNS)
                    .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                    .where(QUEUE_DEAD_LETTER.ID.in(ids)))
            .fetch()
            .stream()
            .collect(
                Collectors.groupingBy(
                    Record2::value2, Collectors.mapping(Record2::value1, Collectors.toSet())));
    Set<Long> bodies = found.getOrDefault(false, Set.of());
    Set<Long> owners = found.getOrDefault(true, Set.of());
    return ids.stream().filter(id -> bodies.contains(id) && !owners.contains(id)).toList();
  }
}
