package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The ordering keys, errors, schedules and completions of one topic; each read is bounded. */
final class JooqTopicParts {

  /** How many keys, schedules and completions are returned. */
  static final int MOST = 20;

  /** How many blocked messages are examined for their keys, and scheduled ones for errors. */
  static final int EXAMINED = 1_000;

  private static final Field<Integer> WAITING = DSL.count().as("waiting");

  private final Transactions transactions;
  private final String topic;

  JooqTopicParts(Transactions transactions, String topic) {
    this.transactions = transactions;
    this.topic = topic;
  }

  /**
   * An ordering key with blocked messages.
   *
   * @param waiting how many of the examined messages it blocks
   * @param head the message that goes first; null if none is known
   * @param dead whether that is a dead letter
   */
  record Key(String key, int waiting, @Nullable Long head, String state, boolean dead) {}

  /** A schedule that enqueues to the topic. */
  record Run(String name, Instant nextAt, boolean paused) {}

  /**
   * An acknowledged message.
   *
   * @param took the time of its handler
   * @param attempts failed ones before
   */
  record Completion(
      long id, Instant dueAt, Instant completedAt, Duration took, String worker, int attempts) {}

  /**
   * The last failed attempt of a message that waits for another one.
   *
   * @param error the exception's class and the beginning of its message
   */
  record Failed(long message, String error, Instant at) {}

  /** Returns those of the first {@link #EXAMINED} scheduled messages. */
  List<Failed> failed() {
    Table<?> few =
        DSL.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.ATTEMPTS)
            .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
            .where(QUEUE_MESSAGE.TOPIC.eq(topic))
            .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.SCHEDULED)))
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .limit(EXAMINED)
            .asTable("few");
    Field<Long> id = DSL.field(DSL.name("few", "id"), Long.class);
    Field<Integer> attempts = DSL.field(DSL.name("few", "attempts"), Integer.class);
    Field<String> error =
        DSL.concat(
            QUEUE_ATTEMPT.ERROR_CLASS,
            DSL.inline(": "),
            DSL.left(QUEUE_ATTEMPT.ERROR_MESSAGE, DSL.inline(500)));
    return transactions.read(
        dsl ->
            dsl.select(id, error, QUEUE_ATTEMPT.FAILED_AT)
                .from(few.straightJoin(QUEUE_ATTEMPT).on(QUEUE_ATTEMPT.MESSAGE_ID.eq(id)))
                .where(attempts.gt(0))
                .and(QUEUE_ATTEMPT.ATTEMPT.eq(attempts))
                .fetch(row -> new Failed(row.value1(), row.value2(), row.value3())));
  }

  /** Returns the newest of the archive, by day and id. */
  List<Completion> completions() {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_ARCHIVE.ID,
                    QUEUE_ARCHIVE.DUE_AT,
                    QUEUE_ARCHIVE.SETTLED_AT,
                    QUEUE_ARCHIVE.HANDLING_MICROS,
                    QUEUE_ARCHIVE.WORKER,
                    QUEUE_ARCHIVE.ATTEMPTS)
                .from(QUEUE_ARCHIVE.forceIndex("queue_archive_by_topic"))
                .where(QUEUE_ARCHIVE.TOPIC.eq(topic))
                .orderBy(QUEUE_ARCHIVE.SETTLED_DAY.desc(), QUEUE_ARCHIVE.ID.desc())
                .limit(MOST)
                .fetch(
                    row ->
                        new Completion(
                            row.value1(),
                            row.value2(),
                            row.value3(),
                            Duration.of(row.value4(), ChronoUnit.MICROS),
                            row.value5(),
                            row.value6())));
  }

  /** Returns those with most of the first blocked messages. */
  List<Key> blockedKeys() {
    return transactions.read(
        dsl -> {
          Table<?> few =
              DSL.select(QUEUE_MESSAGE.ORDERING_KEY)
                  .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
                  .where(QUEUE_MESSAGE.TOPIC.eq(topic))
                  .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.BLOCKED)))
                  .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
                  .limit(EXAMINED)
                  .asTable("few");
          Field<String> key = DSL.field(DSL.name("few", "ordering_key"), String.class);
          Map<String, Integer> waiting = new LinkedHashMap<>();
          dsl.select(key, WAITING)
              .from(few)
              .where(key.isNotNull())
              .groupBy(key)
              .orderBy(WAITING.desc(), key)
              .limit(MOST)
              .forEach(row -> waiting.put(row.value1(), row.value2()));
          Map<String, Record> heads = heads(dsl, waiting);
          return waiting.entrySet().stream()
              .map(one -> key(one.getKey(), one.getValue(), heads.get(one.getKey())))
              .toList();
        });
  }

  private Map<String, Record> heads(DSLContext dsl, Map<String, Integer> keys) {
    List<byte[]> ids =
        keys.keySet().stream().map(key -> TopicKeyId.of(topic, key).bytes()).toList();
    Map<String, Record> heads = new LinkedHashMap<>();
    dsl.select(
            QUEUE_ORDERING_GROUP.ORDERING_KEY,
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            QUEUE_MESSAGE.STATE,
            QUEUE_DEAD_LETTER.ID)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(ids))
        .forEach(row -> heads.put(row.value1(), row));
    return heads;
  }

  private static Key key(String key, int waiting, @Nullable Record head) {
    if (head == null) {
      return new Key(key, waiting, null, "", false);
    }
    Byte state = head.get(QUEUE_MESSAGE.STATE);
    boolean dead = state == null && head.get(QUEUE_DEAD_LETTER.ID) != null;
    String name = state == null ? dead ? "dead letter" : "gone" : MessagePages.name(state);
    return new Key(key, waiting, head.get(QUEUE_ORDERING_GROUP.MESSAGE_ID), name, dead);
  }

  /** Returns the first by name. */
  List<Run> schedules() {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_SCHEDULE.NAME, QUEUE_SCHEDULE.NEXT_AT, QUEUE_SCHEDULE.PAUSED)
                .from(QUEUE_SCHEDULE)
                .where(QUEUE_SCHEDULE.TOPIC.eq(topic))
                .orderBy(QUEUE_SCHEDULE.NAME)
                .limit(MOST)
                .fetch(row -> new Run(row.value1(), row.value2(), row.value3() == 1)));
  }
}
