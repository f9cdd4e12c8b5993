package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jooq.Row7;
import org.jooq.impl.DSL;

/** {@link OrderingGroups} in SQL. */
final class JooqOrderingGroups {

  private JooqOrderingGroups() {}

  static void leave(DSLContext dsl, Map<Long, OrderingGroup> left) {
    mark(dsl, left);
    JooqGroups.leave(dsl, places(left), JooqGroups.WAITING, JooqGroups.RUNNING);
  }

  /** They are dead letters, so they do not wait. */
  static void skip(DSLContext dsl, Map<Long, OrderingGroup> left) {
    mark(dsl, left);
    JooqGroups.leave(dsl, places(left), JooqGroups.RUNNING);
  }

  static boolean skips(DSLContext dsl, String topic) {
    return dsl.fetchExists(
        DSL.selectOne()
            .from(QUEUE_TOPIC)
            .where(QUEUE_TOPIC.TOPIC.eq(topic))
            .and(QUEUE_TOPIC.SKIP_DEAD_LETTERS.eq((byte) 1).or(JooqLimits.HAS_ROOM)));
  }

  /**
   * Removes {@code left} from their groups' rows and marks the groups for a release. The statement
   * itself inserts a missing row, and clears the first message only if it is one of {@code left}.
   */
  private static void mark(DSLContext dsl, Map<Long, OrderingGroup> left) {
    Map<TopicKeyId, OrderingGroup> groups = new TreeMap<>();
    left.values().forEach(group -> groups.put(group.id(), group));
    Set<Long> gone = new TreeSet<>(left.keySet());
    long from = Collections.min(gone);
    dsl.insertInto(
            QUEUE_ORDERING_GROUP,
            QUEUE_ORDERING_GROUP.GROUP_ID,
            QUEUE_ORDERING_GROUP.TOPIC,
            QUEUE_ORDERING_GROUP.ORDERING_KEY,
            QUEUE_ORDERING_GROUP.SCAN_FROM,
            QUEUE_ORDERING_GROUP.NEEDS_RELEASE,
            QUEUE_ORDERING_GROUP.VERSION,
            QUEUE_ORDERING_GROUP.UPDATED_AT)
        .valuesOfRows(
            groups.entrySet().stream()
                .map(group -> row(group.getKey(), group.getValue(), from))
                .toList())
        .onDuplicateKeyUpdate()
        .set(
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            DSL.when(QUEUE_ORDERING_GROUP.MESSAGE_ID.notIn(gone), QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .set(
            QUEUE_ORDERING_GROUP.SCAN_FROM,
            DSL.least(QUEUE_ORDERING_GROUP.SCAN_FROM, DSL.val(from)))
        .set(QUEUE_ORDERING_GROUP.NEEDS_RELEASE, DSL.inline((byte) 1))
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDERING_GROUP.UPDATED_AT, DatabaseClock.now())
        .execute();
  }

  private static List<JooqGroups.Place> places(Map<Long, OrderingGroup> left) {
    return left.entrySet().stream()
        .map(one -> new JooqGroups.Place(one.getValue().id(), one.getKey()))
        .toList();
  }

  private static Row7<byte[], String, String, Long, Byte, Long, Instant> row(
      TopicKeyId id, OrderingGroup group, long from) {
    return DSL.row(
        DSL.val(id.bytes()),
        DSL.val(group.topic()),
        DSL.val(group.key()),
        DSL.val(from),
        DSL.inline((byte) 1),
        DSL.inline(1L),
        DatabaseClock.now());
  }

  /** Locks those of {@code groups} that no other transaction has locked. */
  static List<byte[]> lockFree(DSLContext dsl, List<byte[]> groups) {
    // The topic so that the table is not scanned: see PrimaryKeyDelete.
    return dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID, QUEUE_ORDERING_GROUP.TOPIC)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(groups))
        .forUpdate()
        .skipLocked()
        .fetch(QUEUE_ORDERING_GROUP.GROUP_ID);
  }

  /** Marks locked groups for a release and keeps their first messages. */
  static int markStalled(DSLContext dsl, List<byte[]> groups) {
    return groups.isEmpty()
        ? 0
        : dsl.update(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
            .set(QUEUE_ORDERING_GROUP.NEEDS_RELEASE, DSL.inline((byte) 1))
            .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
            .set(QUEUE_ORDERING_GROUP.UPDATED_AT, DatabaseClock.now())
            .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(groups))
            .execute();
  }
}
