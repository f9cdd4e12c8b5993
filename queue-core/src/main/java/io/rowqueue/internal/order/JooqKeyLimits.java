package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Applies a changed limit per key to the topic's groups. The transaction that settles a message
 * reads the limit itself, but a group whose messages run long, or all wait, has no settlement for a
 * while.
 */
final class JooqKeyLimits {

  private static final Condition HAS_CHANGED =
      QUEUE_TOPIC.KEY_MAX_IN_FLIGHT.isDistinctFrom(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT_APPLIED);

  /** Whether the limit of a topic was changed, by whatever means. */
  static final Condition ANY_HAS_CHANGED =
      ExistsCondition.of(DSL.selectOne().from(QUEUE_TOPIC).where(HAS_CHANGED));

  private static final int PAGE = 500;

  private final Transactions transactions;

  JooqKeyLimits(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Any worker may run it, several at once; a topic is done when all of its groups are. */
  int apply() {
    List<Changed> topics = transactions.read(JooqKeyLimits::changed);
    for (Changed topic : topics) {
      byte[] from = new byte[0];
      List<byte[]> page = page(topic, from);
      while (!page.isEmpty()) {
        List<byte[]> groups = page;
        // Waits for transactions that hold a group's row: they may have read the old limit.
        transactions.run(
            Transition.APPLY_LIMIT, tx -> JooqOrderingGroups.markStalled(tx.dsl(), groups));
        page = page(topic, groups.get(groups.size() - 1));
      }
      transactions.run(Transition.APPLY_LIMIT, tx -> seen(tx.dsl(), topic));
    }
    return topics.size();
  }

  private static List<Changed> changed(DSLContext dsl) {
    return dsl.select(QUEUE_TOPIC.TOPIC, QUEUE_TOPIC.KEY_MAX_IN_FLIGHT)
        .from(QUEUE_TOPIC)
        .where(HAS_CHANGED)
        .fetch(row -> new Changed(row.value1(), row.value2()));
  }

  private List<byte[]> page(Changed topic, byte[] after) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_GROUP.GROUP_ID.gt(after))
                .and(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name))
                .and(QUEUE_ORDERING_GROUP.NEEDS_RELEASE.eq(DSL.inline((byte) 0)))
                .and(
                    ExistsCondition.of(
                        DSL.selectOne()
                            .from(QUEUE_ORDERING_MEMBER)
                            .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID))
                            .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(DSL.inline(JooqGroups.WAITING)))))
                .orderBy(QUEUE_ORDERING_GROUP.GROUP_ID)
                .limit(PAGE)
                .fetch(QUEUE_ORDERING_GROUP.GROUP_ID));
  }

  /**
   * Stores the value that was applied. If the limit was changed again, the row still differs and is
   * processed again.
   */
  private static int seen(DSLContext dsl, Changed topic) {
    return dsl.update(QUEUE_TOPIC)
        .set(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT_APPLIED, topic.inFlight)
        .where(QUEUE_TOPIC.TOPIC.eq(topic.name))
        .execute();
  }

  private record Changed(String name, @Nullable Integer inFlight) {}
}
