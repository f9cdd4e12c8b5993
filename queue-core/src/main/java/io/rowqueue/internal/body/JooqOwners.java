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

/** Bodies, messages and dead letters, asked for together: one statement has one snapshot of all. */
final class JooqOwners {

  private static final Field<Boolean> OWNS = DSL.inline(true);
  private static final Field<Boolean> IS_OWNED = DSL.inline(false);

  private JooqOwners() {}

  /**
   * Those of {@code ids} of which there is a body and no owner, in their order. A body that this
   * snapshot does not have says nothing: an earlier one, perhaps of another node, had it.
   *
   * @param body the message's id in a table of bodies
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
