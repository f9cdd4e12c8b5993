package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_HEAD;
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

/** {@link Lines} in SQL. */
final class JooqLines {

  private JooqLines() {}

  static void leave(DSLContext dsl, Map<Long, Line> left) {
    mark(dsl, left);
    JooqHeads.deletePlaces(dsl, places(left));
  }

  static boolean stepsOver(DSLContext dsl, String topic) {
    return dsl.fetchExists(
        DSL.selectOne()
            .from(QUEUE_TOPIC)
            .where(QUEUE_TOPIC.TOPIC.eq(topic))
            .and(QUEUE_TOPIC.SET_ASIDE.eq((byte) 1).or(JooqLimits.HAS_ROOM)));
  }

  /**
   * {@code left} are no heads any more, and their lines are to be looked after. Whether a line has
   * a row, and whom that names, the statement itself finds out.
   */
  static void mark(DSLContext dsl, Map<Long, Line> left) {
    Map<TopicKeyId, Line> lines = new TreeMap<>();
    left.values().forEach(line -> lines.put(line.id(), line));
    Set<Long> gone = new TreeSet<>(left.keySet());
    long from = Collections.min(gone);
    dsl.insertInto(
            QUEUE_ORDER_HEAD,
            QUEUE_ORDER_HEAD.ORDER_ID,
            QUEUE_ORDER_HEAD.TOPIC,
            QUEUE_ORDER_HEAD.ORDERING_KEY,
            QUEUE_ORDER_HEAD.NEXT_FROM,
            QUEUE_ORDER_HEAD.STALLED,
            QUEUE_ORDER_HEAD.VERSION,
            QUEUE_ORDER_HEAD.UPDATED_AT)
        .valuesOfRows(
            lines.entrySet().stream()
                .map(line -> row(line.getKey(), line.getValue(), from))
                .toList())
        .onDuplicateKeyUpdate()
        .set(
            QUEUE_ORDER_HEAD.MESSAGE_ID,
            DSL.when(QUEUE_ORDER_HEAD.MESSAGE_ID.notIn(gone), QUEUE_ORDER_HEAD.MESSAGE_ID))
        .set(QUEUE_ORDER_HEAD.NEXT_FROM, DSL.least(QUEUE_ORDER_HEAD.NEXT_FROM, DSL.val(from)))
        .set(QUEUE_ORDER_HEAD.STALLED, DSL.inline((byte) 1))
        .set(QUEUE_ORDER_HEAD.VERSION, QUEUE_ORDER_HEAD.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDER_HEAD.UPDATED_AT, DatabaseClock.now())
        .execute();
    JooqRunning.delete(dsl, places(left));
  }

  private static List<JooqHeads.Place> places(Map<Long, Line> left) {
    return left.entrySet().stream()
        .map(one -> new JooqHeads.Place(one.getValue().id(), one.getKey()))
        .toList();
  }

  private static Row7<byte[], String, String, Long, Byte, Long, Instant> row(
      TopicKeyId id, Line line, long from) {
    return DSL.row(
        DSL.val(id.bytes()),
        DSL.val(line.topic()),
        DSL.val(line.key()),
        DSL.val(from),
        DSL.inline((byte) 1),
        DSL.inline(1L),
        DatabaseClock.now());
  }

  /** Has locked lines looked after that keep whom they name. */
  static int markStalled(DSLContext dsl, List<byte[]> lines) {
    return lines.isEmpty()
        ? 0
        : dsl.update(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
            .set(QUEUE_ORDER_HEAD.STALLED, DSL.inline((byte) 1))
            .set(QUEUE_ORDER_HEAD.VERSION, QUEUE_ORDER_HEAD.VERSION.plus(DSL.inline(1)))
            .set(QUEUE_ORDER_HEAD.UPDATED_AT, DatabaseClock.now())
            .where(QUEUE_ORDER_HEAD.ORDER_ID.in(lines))
            .execute();
  }
}
