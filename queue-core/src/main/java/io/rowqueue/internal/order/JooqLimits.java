package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/**
 * What topics say of their lines, as the statements that lock heads ask for it: read with them, and
 * not locked.
 */
final class JooqLimits {

  /** Of the topic of a head. */
  static final Field<Integer> IN_FLIGHT = ofHead(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT).as("in_flight");

  /** Of the topic of a head. */
  static final Field<Integer> PER_SECOND = ofHead(QUEUE_TOPIC.KEY_MAX_PER_SECOND).as("per_second");

  /**
   * Whether several of a line may be handled at once: then one that waits or is dead holds none.
   */
  static final Condition HAS_ROOM = QUEUE_TOPIC.KEY_MAX_IN_FLIGHT.gt(1);

  private JooqLimits() {}

  private static Field<Integer> ofHead(TableField<?, Integer> limit) {
    return DSL.field(
        DSL.select(limit)
            .from(QUEUE_TOPIC)
            .where(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDERING_GROUP.TOPIC)));
  }

  /** Whether several of a line of {@code topic} may be handled at once. */
  static boolean hasCapacity(DSLContext dsl, String topic) {
    return dsl.fetchExists(
        DSL.selectOne().from(QUEUE_TOPIC).where(QUEUE_TOPIC.TOPIC.eq(topic)).and(HAS_ROOM));
  }
}
