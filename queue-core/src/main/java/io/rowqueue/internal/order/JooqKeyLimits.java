package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
  private final RefusedRows<TopicKeyId> refused =
      new RefusedRows<>("the change of the key limit of ordering group");

  /** The groups of a topic that its last pass has left; the others need no second pass. */
  private final Map<Changed, Set<TopicKeyId>> left = new ConcurrentHashMap<>();

  JooqKeyLimits(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Any worker may run it, several at once; a topic is done when all of its groups are. A group
   * that another transaction has locked, or that the server refuses to change, is left for the next
   * call.
   */
  int apply() {
    List<Changed> topics = transactions.read(JooqKeyLimits::changed);
    left.keySet().retainAll(topics);
    return IndependentParts.sum(topics, this::apply);
  }

  private int apply(Changed topic) {
    Set<TopicKeyId> before = left.get(topic);
    Condition which =
        before == null
            ? DSL.noCondition()
            : QUEUE_ORDERING_GROUP.GROUP_ID.in(JooqGroups.bytes(before));
    Set<TopicKeyId> open = new HashSet<>();
    int marked =
        IndependentParts.<byte[]>sumOfPages(
            PAGE, last -> page(topic, which, last), page -> mark(page, open));
    if (open.isEmpty()) {
      transactions.run(Transition.APPLY_LIMIT, tx -> seen(tx.dsl(), topic));
    } else {
      left.put(topic, open);
    }
    return marked;
  }

  /** Adds those that it has not marked to {@code open}. */
  private int mark(List<byte[]> page, Set<TopicKeyId> open) {
    List<TopicKeyId> groups = page.stream().map(TopicKeyId::of).toList();
    open.addAll(groups);
    List<List<byte[]>> marked =
        refused.change(
            refused.others(groups, group -> group),
            group -> group,
            some ->
                transactions.run(
                    Transition.APPLY_LIMIT, tx -> mark(tx.dsl(), JooqGroups.bytes(some))));
    marked.forEach(some -> some.stream().map(TopicKeyId::of).forEach(open::remove));
    return marked.stream().mapToInt(List::size).sum();
  }

  /** A transaction that holds a group's row may have read the old limit. */
  private static List<byte[]> mark(DSLContext dsl, List<byte[]> groups) {
    List<byte[]> free = JooqOrderingGroups.lockFree(dsl, groups);
    JooqOrderingGroups.markStalled(dsl, free);
    return free;
  }

  private static List<Changed> changed(DSLContext dsl) {
    return dsl.select(QUEUE_TOPIC.TOPIC, QUEUE_TOPIC.KEY_MAX_IN_FLIGHT)
        .from(QUEUE_TOPIC)
        .where(HAS_CHANGED)
        .fetch(row -> new Changed(row.value1(), row.value2()));
  }

  private List<byte[]> page(Changed topic, Condition which, byte @Nullable [] last) {
    byte[] after = last == null ? new byte[0] : last;
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_GROUP.GROUP_ID.gt(after))
                .and(which)
                .and(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name))
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
