package io.rowqueue.internal.order;

import static io.rowqueue.internal.order.JooqGroups.RUNNING;
import static io.rowqueue.internal.order.JooqGroups.WAITING;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.internal.message.TopicKeyId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * Messages that may be handled concurrently with the first of their groups, whose rows are locked.
 */
final class ConcurrentMessages {

  private ConcurrentMessages() {}

  static Map<TopicKeyId, Set<Long>> of(DSLContext dsl, Collection<TopicKeyId> groups) {
    return dsl
        .select(QUEUE_ORDERING_MEMBER.GROUP_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .from(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_MEMBER.GROUP_ID.in(JooqGroups.bytes(groups)))
        .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(RUNNING))
        .fetch()
        .stream()
        .collect(
            Collectors.groupingBy(
                row -> TopicKeyId.of(row.value1()),
                Collectors.mapping(row -> row.value2(), Collectors.toUnmodifiableSet())));
  }

  static void add(DSLContext dsl, List<JooqGroups.Place> places) {
    dsl.update(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
        .set(QUEUE_ORDERING_MEMBER.RUNNING, RUNNING)
        .where(
            DSL.or(
                places.stream()
                    .sorted()
                    .map(
                        place ->
                            QUEUE_ORDERING_MEMBER
                                .GROUP_ID
                                .eq(place.group().bytes())
                                .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(WAITING))
                                .and(QUEUE_ORDERING_MEMBER.MESSAGE_ID.eq(place.messageId())))
                    .toList()))
        .execute();
  }
}
