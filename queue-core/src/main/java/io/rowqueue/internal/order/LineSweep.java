package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_HEAD;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_KEY;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_RUNNING;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.ToIntBiFunction;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Record3;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Tends the lines now and then. Any worker may at any time, several at once. Thread-safe. Every
 * method throws {@link io.rowqueue.QueueException} if the database fails after every repetition.
 */
public final class LineSweep {

  private static final Duration EMPTY_LINE_KEPT = Duration.ofMinutes(10);
  private static final Duration KEY_KEPT = Duration.ofDays(1);
  private static final int MOST_PLACES = 500;

  private static final Condition IS_EMPTY =
      QUEUE_ORDER_HEAD
          .MESSAGE_ID
          .isNull()
          .and(QUEUE_ORDER_HEAD.STALLED.eq((byte) 0))
          .and(QUEUE_ORDER_HEAD.SEVERAL.eq((byte) 0))
          .and(QUEUE_ORDER_HEAD.UPDATED_AT.lt(DatabaseClock.before(EMPTY_LINE_KEPT)));

  private static final Condition IS_OLD =
      QUEUE_ORDER_KEY.UPDATED_AT.lt(DatabaseClock.before(KEY_KEPT));

  /** In no table, or a dead letter that nobody waits for. */
  private static final Condition HOLDS_NONE =
      QUEUE_MESSAGE
          .ID
          .isNull()
          .and(
              QUEUE_DEAD_LETTER
                  .ID
                  .isNull()
                  .or(QUEUE_TOPIC.SET_ASIDE.eq((byte) 1))
                  .or(JooqLimits.HAS_ROOM));

  private static final Condition SOMEBODY_WAITS =
      DSL.exists(
          DSL.selectOne()
              .from(QUEUE_ORDER)
              .where(QUEUE_ORDER.ORDER_ID.eq(QUEUE_ORDER_HEAD.ORDER_ID)));

  private final Transactions transactions;

  public LineSweep(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Marks lines whose head is in no table, as a message is that somebody deleted by hand or that a
   * worker without knowledge of lines has handled; and those that a dead letter holds which, by the
   * topic's setting, shall hold none.
   *
   * @return how many; {@code batch} means that there may be more
   */
  public int sweep(int batch) {
    return sweepHeads(batch) + sweepRunning(batch) + sweepHeadless(batch);
  }

  /**
   * Lines that nobody has seen: the message that announced its call's others was deleted by SQL
   * before a worker admitted it. One that still arrives is not among them.
   */
  private int sweepHeadless(int batch) {
    List<byte[]> found = transactions.read(dsl -> headless(dsl, batch));
    return found.isEmpty()
        ? 0
        : transactions.run(
            Transition.SWEEP_LINES,
            tx -> found.stream().mapToInt(line -> announce(tx.dsl(), line)).sum());
  }

  /** It goes from key to key, however many wait behind each. */
  private static List<byte[]> headless(DSLContext dsl, int most) {
    Table<Record1<byte[]>> lines =
        DSL.select(QUEUE_ORDER.ORDER_ID)
            .from(QUEUE_ORDER)
            .groupBy(QUEUE_ORDER.ORDER_ID)
            .asTable("k");
    Field<byte[]> line = Objects.requireNonNull(lines.field(QUEUE_ORDER.ORDER_ID));
    return dsl.select(line)
        .from(lines)
        .leftJoin(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
        .on(QUEUE_ORDER_HEAD.ORDER_ID.eq(line))
        .where(QUEUE_ORDER_HEAD.ORDER_ID.isNull())
        .limit(most)
        .fetch(line);
  }

  /** Has a line looked after whose first message waits in it, and forgets one without messages. */
  private static int announce(DSLContext dsl, byte[] line) {
    Record3<String, String, Byte> first =
        dsl.select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.ORDERING_KEY, QUEUE_MESSAGE.STATE)
            .from(QUEUE_ORDER)
            .join(QUEUE_MESSAGE.forceIndex("PRIMARY"))
            .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDER.MESSAGE_ID))
            .where(QUEUE_ORDER.ORDER_ID.eq(line))
            .orderBy(QUEUE_ORDER.MESSAGE_ID)
            .limit(1)
            .fetchOne();
    if (first == null) {
      List<JooqHeads.Place> places = places(dsl, line);
      JooqHeads.deletePlaces(dsl, places);
      return places.isEmpty() ? 0 : 1;
    }
    if (first.value3() != MessageState.IN_LINE) {
      return 0;
    }
    JooqArrivals.makeHeads(dsl, List.of(new Line(first.value1(), first.value2())));
    return JooqLines.markStalled(dsl, List.of(line));
  }

  private int sweepHeads(int batch) {
    List<byte[]> found = transactions.read(dsl -> abandonedHeads(dsl, DSL.noCondition(), batch));
    return found.isEmpty()
        ? 0
        : transactions.run(Transition.SWEEP_LINES, tx -> mark(tx.dsl(), found));
  }

  private static List<JooqHeads.Place> places(DSLContext dsl, byte[] line) {
    return dsl.select(QUEUE_ORDER.MESSAGE_ID)
        .from(QUEUE_ORDER)
        .where(QUEUE_ORDER.ORDER_ID.eq(line))
        .orderBy(QUEUE_ORDER.MESSAGE_ID)
        .limit(MOST_PLACES)
        .fetch(row -> new JooqHeads.Place(TopicKeyId.of(line), row.value1()));
  }

  /** One statement, and so one snapshot: what moves meanwhile is in one of the tables. */
  private static List<byte[]> abandonedHeads(DSLContext dsl, Condition which, int most) {
    return dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
        .from(QUEUE_ORDER_HEAD)
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDER_HEAD.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDER_HEAD.MESSAGE_ID))
        .leftJoin(QUEUE_TOPIC)
        .on(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDER_HEAD.TOPIC))
        .where(which)
        .and(QUEUE_ORDER_HEAD.MESSAGE_ID.isNotNull())
        .and(HOLDS_NONE)
        .limit(most)
        .fetch(QUEUE_ORDER_HEAD.ORDER_ID);
  }

  /** The same of those that stand beside heads. */
  private int sweepRunning(int batch) {
    List<JooqHeads.Place> found =
        transactions.read(dsl -> abandonedRunning(dsl, DSL.noCondition(), batch));
    return found.isEmpty()
        ? 0
        : transactions.run(Transition.SWEEP_LINES, tx -> forget(tx.dsl(), found));
  }

  private static List<JooqHeads.Place> abandonedRunning(DSLContext dsl, Condition which, int most) {
    return dsl.select(QUEUE_ORDER_RUNNING.ORDER_ID, QUEUE_ORDER_RUNNING.MESSAGE_ID)
        .from(QUEUE_ORDER_RUNNING)
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDER_RUNNING.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDER_RUNNING.MESSAGE_ID))
        .leftJoin(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
        .on(QUEUE_ORDER_HEAD.ORDER_ID.eq(QUEUE_ORDER_RUNNING.ORDER_ID))
        .leftJoin(QUEUE_TOPIC)
        .on(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDER_HEAD.TOPIC))
        .where(which)
        .and(HOLDS_NONE)
        .limit(most)
        .fetch(row -> new JooqHeads.Place(TopicKeyId.of(row.value1()), row.value2()));
  }

  /** A redrive may have let one go since the look, so they are looked at again behind the lock. */
  private static int forget(DSLContext dsl, List<JooqHeads.Place> found) {
    List<TopicKeyId> lines = found.stream().map(JooqHeads.Place::line).distinct().toList();
    Set<TopicKeyId> locked =
        JooqHeads.lockFree(dsl, lines).stream().map(Head::line).collect(Collectors.toSet());
    if (locked.isEmpty()) {
      return 0;
    }
    List<JooqHeads.Place> mine =
        abandonedRunning(
            dsl, QUEUE_ORDER_RUNNING.ORDER_ID.in(JooqHeads.bytes(locked)), found.size());
    JooqRunning.delete(dsl, mine);
    JooqLines.markStalled(
        dsl, JooqHeads.bytes(mine.stream().map(JooqHeads.Place::line).distinct().toList()));
    return mine.size();
  }

  /** As with those beside them. */
  private static int mark(DSLContext dsl, List<byte[]> found) {
    List<byte[]> locked =
        dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
            .from(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
            .where(QUEUE_ORDER_HEAD.ORDER_ID.in(found))
            .forUpdate()
            .skipLocked()
            .fetch(QUEUE_ORDER_HEAD.ORDER_ID);
    return locked.isEmpty()
        ? 0
        : markStalled(
            dsl, abandonedHeads(dsl, QUEUE_ORDER_HEAD.ORDER_ID.in(locked), locked.size()));
  }

  private static int markStalled(DSLContext dsl, List<byte[]> locked) {
    if (locked.isEmpty()) {
      return 0;
    }
    return dsl.update(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
        .set(QUEUE_ORDER_HEAD.MESSAGE_ID, DSL.inline((Long) null))
        .set(QUEUE_ORDER_HEAD.NEXT_FROM, DSL.inline(0L))
        .set(QUEUE_ORDER_HEAD.STALLED, DSL.inline((byte) 1))
        .set(QUEUE_ORDER_HEAD.VERSION, QUEUE_ORDER_HEAD.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDER_HEAD.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_ORDER_HEAD.ORDER_ID.in(locked))
        .execute();
  }

  /**
   * Deletes what was known of keys under which nobody has enqueued for a day, and of lines that
   * have been empty for ten minutes. Walks over all of them, {@code batch} at a time.
   *
   * @return how many
   */
  public int prune(int batch) {
    return pruneHeads(batch) + pruneKeys(batch);
  }

  private int pruneHeads(int batch) {
    return walk(
        (dsl, from) ->
            dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
                .from(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
                .where(QUEUE_ORDER_HEAD.ORDER_ID.gt(from))
                .and(IS_EMPTY)
                .orderBy(QUEUE_ORDER_HEAD.ORDER_ID)
                .limit(batch)
                .fetch(QUEUE_ORDER_HEAD.ORDER_ID),
        LineSweep::deleteHeads);
  }

  private int pruneKeys(int batch) {
    return walk(
        (dsl, from) ->
            dsl.select(QUEUE_ORDER_KEY.ORDER_ID)
                .from(QUEUE_ORDER_KEY.forceIndex("PRIMARY"))
                .where(QUEUE_ORDER_KEY.ORDER_ID.gt(from))
                .and(IS_OLD)
                .orderBy(QUEUE_ORDER_KEY.ORDER_ID)
                .limit(batch)
                .fetch(QUEUE_ORDER_KEY.ORDER_ID),
        LineSweep::deleteKeys);
  }

  /** Page by page, until one is empty. */
  private int walk(
      BiFunction<DSLContext, byte[], List<byte[]>> look,
      ToIntBiFunction<DSLContext, List<byte[]>> delete) {
    int deleted = 0;
    List<byte[]> page = transactions.read(dsl -> look.apply(dsl, new byte[0]));
    while (!page.isEmpty()) {
      List<byte[]> found = page;
      deleted += transactions.run(Transition.PRUNE_LINES, tx -> delete.applyAsInt(tx.dsl(), found));
      page = transactions.read(dsl -> look.apply(dsl, found.get(found.size() - 1)));
    }
    return deleted;
  }

  /** Where somebody waits without a head, what brought that about must not hold him for ever. */
  private static int deleteHeads(DSLContext dsl, List<byte[]> found) {
    Set<TopicKeyId> empty =
        ids(
            dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
                .from(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
                .where(QUEUE_ORDER_HEAD.ORDER_ID.in(found))
                .and(IS_EMPTY)
                .forUpdate()
                .skipLocked()
                .fetch(QUEUE_ORDER_HEAD.ORDER_ID));
    Set<TopicKeyId> waited =
        ids(
            dsl.select(QUEUE_ORDER_HEAD.ORDER_ID)
                .from(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
                .where(QUEUE_ORDER_HEAD.ORDER_ID.in(JooqHeads.bytes(empty)))
                .and(SOMEBODY_WAITS)
                .fetch(QUEUE_ORDER_HEAD.ORDER_ID));
    markStalled(dsl, JooqHeads.bytes(waited));
    empty.removeAll(waited);
    return empty.isEmpty()
        ? 0
        : PrimaryKeyDelete.run(
            dsl,
            QUEUE_ORDER_HEAD,
            QUEUE_ORDER_HEAD.as(PrimaryKeyDelete.ALIAS).ORDER_ID.in(JooqHeads.bytes(empty)));
  }

  private static Set<TopicKeyId> ids(List<byte[]> bytes) {
    return bytes.stream().map(TopicKeyId::of).collect(Collectors.toCollection(HashSet::new));
  }

  /** Which id a producer got, a row that was there for a day says nothing about. */
  private static int deleteKeys(DSLContext dsl, List<byte[]> found) {
    List<byte[]> locked =
        dsl.select(QUEUE_ORDER_KEY.ORDER_ID)
            .from(QUEUE_ORDER_KEY.forceIndex("PRIMARY"))
            .where(QUEUE_ORDER_KEY.ORDER_ID.in(found))
            .and(IS_OLD)
            .forUpdate()
            .skipLocked()
            .fetch(QUEUE_ORDER_KEY.ORDER_ID);
    return locked.isEmpty()
        ? 0
        : PrimaryKeyDelete.run(
            dsl, QUEUE_ORDER_KEY, QUEUE_ORDER_KEY.as(PrimaryKeyDelete.ALIAS).ORDER_ID.in(locked));
  }
}
