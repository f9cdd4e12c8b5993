package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_RUNNING;

import io.rowqueue.internal.database.PrimaryKeyDelete;
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

  static Map<TopicKeyId, Set<Long>> of(DSLContext dsl, Collection<TopicKeyId> lines) {
    if (lines.isEmpty()) {
      return Map.of();
    }
    return dsl
        .select(QUEUE_ORDERING_RUNNING.GROUP_ID, QUEUE_ORDERING_RUNNING.MESSAGE_ID)
        .from(QUEUE_ORDERING_RUNNING.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_RUNNING.GROUP_ID.in(JooqGroups.bytes(lines)))
        .fetch()
        .stream()
        .collect(
            Collectors.groupingBy(
                row -> TopicKeyId.of(row.value1()),
                Collectors.mapping(row -> row.value2(), Collectors.toUnmodifiableSet())));
  }

  static void add(DSLContext dsl, List<JooqGroups.Place> places) {
    if (!places.isEmpty()) {
      dsl.insertInto(
              QUEUE_ORDERING_RUNNING,
              QUEUE_ORDERING_RUNNING.GROUP_ID,
              QUEUE_ORDERING_RUNNING.MESSAGE_ID)
          .valuesOfRows(
              places.stream()
                  .sorted()
                  .map(place -> DSL.row(place.line().bytes(), place.messageId()))
                  .toList())
          .execute();
    }
  }

  static void delete(DSLContext dsl, List<JooqGroups.Place> places) {
    if (places.isEmpty()) {
      return;
    }
    var running = QUEUE_ORDERING_RUNNING.as(PrimaryKeyDelete.ALIAS);
    PrimaryKeyDelete.run(
        dsl,
        QUEUE_ORDERING_RUNNING,
        DSL.or(
            places.stream()
                .sorted()
                .map(
                    place ->
                        running
                            .GROUP_ID
                            .eq(place.line().bytes())
                            .and(running.MESSAGE_ID.eq(place.messageId())))
                .toList()));
  }
}
