package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record3;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Counts messages by topic and state up to a limit: each count reads that many index entries and no
 * rows. One statement counts up to {@link #AT_ONCE} topics.
 */
final class JooqCounts {

  private static final int AT_ONCE = 32;

  private static final byte DEAD = 10;
  private static final byte HEAD = 11;

  private static final Field<Long> COUNT = DSL.field("COUNT(*)", SQLDataType.BIGINT);

  private static final Field<Long> WAITED =
      DSL.field(
              "TIMESTAMPDIFF(SECOND, GREATEST({0}, {1}), UTC_TIMESTAMP(6))",
              SQLDataType.BIGINT, QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.CREATED_AT)
          .as("waited");

  private static final List<Byte> STATES =
      List.of(
          MessageState.AVAILABLE,
          MessageState.CLAIMED,
          MessageState.SCHEDULED,
          MessageState.BLOCKED,
          MessageState.ARRIVING);

  private JooqCounts() {}

  /** Returns the counts of {@code topics}, by name; each stops at {@code most}. */
  static Map<String, TopicCounts> read(
      Transactions transactions, Collection<String> topics, int most) {
    List<String> names = List.copyOf(topics);
    Map<String, TopicCounts> counts = new TreeMap<>();
    for (int from = 0; from < names.size(); from += AT_ONCE) {
      List<String> some = names.subList(from, Math.min(names.size(), from + AT_ONCE));
      transactions.read(dsl -> count(dsl, some, most)).forEach(counts::put);
    }
    return counts;
  }

  private static Map<String, TopicCounts> count(DSLContext dsl, List<String> topics, int most) {
    List<Select<Record3<Integer, Byte, Long>>> parts = new ArrayList<>();
    for (int i = 0; i < topics.size(); i++) {
      addParts(parts, i, topics.get(i), most);
    }
    Select<Record3<Integer, Byte, Long>> all = parts.get(0);
    for (Select<Record3<Integer, Byte, Long>> part : parts.subList(1, parts.size())) {
      all = all.unionAll(part);
    }
    Map<Integer, Map<Byte, Long>> found = new TreeMap<>();
    for (Record3<Integer, Byte, Long> row : dsl.fetch(all)) {
      found.computeIfAbsent(row.value1(), any -> new TreeMap<>()).put(row.value2(), row.value3());
    }
    Map<String, TopicCounts> counts = new TreeMap<>();
    found.forEach((number, byState) -> counts.put(topics.get(number), counts(byState, most)));
    return counts;
  }

  private static void addParts(
      List<Select<Record3<Integer, Byte, Long>>> parts, int number, String topic, int most) {
    Table<?> messages = QUEUE_MESSAGE.forceIndex("queue_message_claim");
    for (byte state : STATES) {
      Condition which =
          QUEUE_MESSAGE.TOPIC.eq(topic).and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state)));
      parts.add(
          part(
              number,
              state,
              COUNT,
              DSL.select(QUEUE_MESSAGE.ID).from(messages).where(which).limit(DSL.inline(most))));
    }
    parts.add(
        part(
            number,
            DEAD,
            COUNT,
            DSL.select(QUEUE_DEAD_LETTER.ID)
                .from(QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"))
                .where(QUEUE_DEAD_LETTER.TOPIC.eq(topic))
                .limit(DSL.inline(most))));
    parts.add(
        part(
            number,
            HEAD,
            DSL.field(DSL.name("few", "waited"), SQLDataType.BIGINT),
            DSL.select(WAITED)
                .from(messages)
                .where(QUEUE_MESSAGE.TOPIC.eq(topic))
                .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.AVAILABLE)))
                .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
                .limit(DSL.inline(1))));
  }

  private static Select<Record3<Integer, Byte, Long>> part(
      int number, byte what, Field<Long> value, Select<? extends Record> rows) {
    return DSL.select(DSL.inline(number), DSL.inline(what), value).from(rows.asTable("few"));
  }

  private static TopicCounts counts(Map<Byte, Long> byState, int most) {
    IntFunction<Count> of = state -> Count.upTo(most, byState.getOrDefault((byte) state, 0L));
    return new TopicCounts(
        of.apply(MessageState.AVAILABLE),
        of.apply(MessageState.SCHEDULED),
        of.apply(MessageState.BLOCKED).plus(of.apply(MessageState.ARRIVING)),
        of.apply(MessageState.CLAIMED),
        of.apply(DEAD),
        byState.get(HEAD));
  }

  /**
   * The engine's statistics of the message table.
   *
   * @param nextId the next id; 0 if unknown
   * @param step the increment of ids
   * @param rows the estimated number of rows
   * @param at the time of the statistics, by the database's clock
   */
  record Ids(long nextId, int step, long rows, Instant at) {

    /** Returns whether the next id is known. */
    boolean isKnown() {
      return nextId > 0;
    }
  }

  /** Reads them; null if the account has no access to the table. */
  static @Nullable Ids ids(Transactions transactions) {
    return transactions.read(
        dsl -> {
          Field<Instant> at = DatabaseClock.now();
          return dsl.select(
                  DSL.field("AUTO_INCREMENT", SQLDataType.BIGINT),
                  DSL.field("@@auto_increment_increment", SQLDataType.INTEGER),
                  DSL.field("TABLE_ROWS", SQLDataType.BIGINT),
                  at)
              .from(DSL.table("information_schema.TABLES"))
              .where(DSL.condition("TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'queue_message'"))
              .fetchOne(
                  row ->
                      new Ids(
                          orZero(row.value1()), row.value2(), orZero(row.value3()), row.value4()));
        });
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
