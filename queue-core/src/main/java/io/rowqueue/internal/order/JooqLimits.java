package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/**
 * A topic's limits per key, as fields of the statements that lock group rows; read with those rows
 * and not locked.
 */
final class JooqLimits {

  /** Of the group's topic. */
  static final Field<Integer> IN_FLIGHT = ofHead(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT).as("in_flight");

  /** Of the group's topic. */
  static final Field<Integer> PER_SECOND = ofHead(QUEUE_TOPIC.KEY_MAX_PER_SECOND).as("per_second");

  /**
   * Whether several messages of a group may be handled at once; then a scheduled message or a dead
   * letter does not block its group.
   */
  static final Condition HAS_ROOM = QUEUE_TOPIC.KEY_MAX_IN_FLIGHT.gt(1);

  private JooqLimits() {}

  private static Field<Integer> ofHead(TableField<?, Integer> limit) {
    return DSL.field(
        DSL.select(limit)
            .from(QUEUE_TOPIC)
            .where(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDERING_GROUP.TOPIC)));
  }

  /** Whether several messages of a group of {@code topic} may be handled at once. */
  static boolean hasCapacity(DSLContext dsl, String topic) {
    return dsl.fetchExists(
        DSL.selectOne().from(QUEUE_TOPIC).where(QUEUE_TOPIC.TOPIC.eq(topic)).and(HAS_ROOM));
  }
}
