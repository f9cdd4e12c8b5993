package io.rowqueue.internal.order;

import static io.rowqueue.internal.order.JooqGroups.RUNNING;
import static io.rowqueue.internal.order.JooqGroups.WAITING;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_LOCK;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Record3;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Periodic maintenance of ordering groups. Any worker may run it at any time, several at once.
 * Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the database still fails
 * after all retries.
 */
public final class GroupSweep {

  private static final Duration EMPTY_LINE_KEPT = Duration.ofMinutes(10);
  private static final Duration KEY_KEPT = Duration.ofDays(1);
  private static final int MOST_PLACES = 500;

  private static final Condition IS_EMPTY =
      QUEUE_ORDERING_GROUP
          .MESSAGE_ID
          .isNull()
          .and(QUEUE_ORDERING_GROUP.NEEDS_RELEASE.eq((byte) 0))
          .and(QUEUE_ORDERING_GROUP.HAS_CONCURRENT.eq((byte) 0))
          .and(QUEUE_ORDERING_GROUP.UPDATED_AT.lt(DatabaseClock.before(EMPTY_LINE_KEPT)));

  /** A row that has not changed for a day guards no transaction that is still open. */
  private static final Condition IS_OLD =
      QUEUE_ORDERING_LOCK.UPDATED_AT.lt(DatabaseClock.before(KEY_KEPT));

  /** In no table, or a dead letter that does not block its group. */
  private static final Condition HOLDS_NONE =
      QUEUE_MESSAGE
          .ID
          .isNull()
          .and(
              QUEUE_DEAD_LETTER
                  .ID
                  .isNull()
                  .or(QUEUE_TOPIC.SKIP_DEAD_LETTERS.eq((byte) 1))
                  .or(JooqLimits.HAS_ROOM));

  private static final Condition SOMEBODY_WAITS =
      ExistsCondition.of(
          DSL.selectOne()
              .from(QUEUE_ORDERING_MEMBER)
              .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID)));

  private final Transactions transactions;
  private final Pruning<byte[]> locks;
  private final RefusedRows<TopicKeyId> refused = Pruning.rows("the repair of ordering group");
  private final RefusedRows<TopicKeyId> unpruned = Pruning.rows("the deletion of ordering group");

  public GroupSweep(Transactions transactions) {
    this.transactions = transactions;
    this.locks =
        new Pruning<>(
            transactions, Transition.PRUNE_GROUPS, QUEUE_ORDERING_LOCK.GROUP_ID, TopicKeyId::of);
  }

  /**
   * Marks groups whose first message is in no table, because it was deleted by hand or handled by a
   * worker that does not know ordering keys, and groups that are blocked by a dead letter although
   * the topic's settings skip it.
   *
   * @return how many; {@code batch} means that there may be more
   */
  public int sweep(int batch) {
    return sum(batch, this::sweepHeads, this::sweepRunning, this::sweepHeadless);
  }

  private static int sum(int batch, IntUnaryOperator... parts) {
    return IndependentParts.sum(List.of(parts), part -> part.applyAsInt(batch));
  }

  /**
   * Repairs groups without a row: the first message of an enqueue call is the one that waits for
   * admission, and SQL deleted it before a worker admitted it. Groups with a message that is not
   * admitted yet are skipped.
   */
  private int sweepHeadless(int batch) {
    List<byte[]> found = transactions.read(dsl -> headless(dsl, batch));
    return repair(
        found, (dsl, some) -> some.stream().mapToInt(group -> announce(dsl, group)).sum());
  }

  private int repair(List<byte[]> groups, ToIntBiFunction<DSLContext, List<byte[]>> work) {
    return RefusedRows.sum(
        refused.change(
            groups,
            TopicKeyId::of,
            some ->
                transactions.run(Transition.SWEEP_GROUPS, tx -> work.applyAsInt(tx.dsl(), some))));
  }

  /** Leaves groups whose repair was refused out of a query. */
  private Condition others(Field<byte[]> group) {
    return JooqGroups.others(group, refused.delayed());
  }

  /** The scan jumps from key to key, however many messages wait behind each. */
  private List<byte[]> headless(DSLContext dsl, int most) {
    Table<Record1<byte[]>> groups =
        DSL.select(QUEUE_ORDERING_MEMBER.GROUP_ID)
            .from(QUEUE_ORDERING_MEMBER)
            .groupBy(QUEUE_ORDERING_MEMBER.GROUP_ID)
            .asTable("k");
    Field<byte[]> group = Objects.requireNonNull(groups.field(QUEUE_ORDERING_MEMBER.GROUP_ID));
    return dsl.select(group)
        .from(groups)
        .leftJoin(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .on(QUEUE_ORDERING_GROUP.GROUP_ID.eq(group))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.isNull())
        .and(others(group))
        .limit(most)
        .fetch(group);
  }

  /**
   * Creates a group's row if its first message waits, and deletes the group's members if it has no
   * messages.
   */
  private static int announce(DSLContext dsl, byte[] group) {
    Record3<String, String, Byte> first =
        dsl.select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.ORDERING_KEY, QUEUE_MESSAGE.STATE)
            .from(QUEUE_ORDERING_MEMBER)
            .join(QUEUE_MESSAGE.forceIndex("PRIMARY"))
            .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDERING_MEMBER.MESSAGE_ID))
            .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(group))
            .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(WAITING))
            .orderBy(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
            .limit(1)
            .fetchOne();
    if (first == null) {
      List<JooqGroups.Place> places = places(dsl, group);
      JooqGroups.leave(dsl, places, WAITING, RUNNING);
      return places.isEmpty() ? 0 : 1;
    }
    if (first.value3() != MessageState.BLOCKED) {
      return 0;
    }
    NewOrderedMessages.makeGroups(dsl, List.of(new OrderingGroup(first.value1(), first.value2())));
    return JooqOrderingGroups.markStalled(dsl, List.of(group));
  }

  private int sweepHeads(int batch) {
    List<byte[]> found =
        transactions.read(dsl -> abandonedHeads(dsl, others(QUEUE_ORDERING_GROUP.GROUP_ID), batch));
    return repair(found, GroupSweep::mark);
  }

  private static List<JooqGroups.Place> places(DSLContext dsl, byte[] group) {
    return dsl.select(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .from(QUEUE_ORDERING_MEMBER)
        .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(group))
        .orderBy(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .limit(MOST_PLACES)
        .fetch(row -> new JooqGroups.Place(TopicKeyId.of(group), row.value1()));
  }

  /**
   * One statement and so one snapshot: a message that moves during the scan is still in one of the
   * tables.
   */
  private static List<byte[]> abandonedHeads(DSLContext dsl, Condition which, int most) {
    return dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
        .from(QUEUE_ORDERING_GROUP)
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .leftJoin(QUEUE_TOPIC)
        .on(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDERING_GROUP.TOPIC))
        .where(which)
        .and(QUEUE_ORDERING_GROUP.MESSAGE_ID.isNotNull())
        .and(HOLDS_NONE)
        .limit(most)
        .fetch(QUEUE_ORDERING_GROUP.GROUP_ID);
  }

  /** Removes abandoned messages that were handled concurrently with the first of their groups. */
  private int sweepRunning(int batch) {
    List<JooqGroups.Place> found =
        transactions.read(
            dsl -> abandonedRunning(dsl, others(QUEUE_ORDERING_GROUP.GROUP_ID), batch));
    return RefusedRows.sum(
        refused.change(
            found,
            JooqGroups.Place::group,
            some -> transactions.run(Transition.SWEEP_GROUPS, tx -> forget(tx.dsl(), some))));
  }

  private static List<JooqGroups.Place> abandonedRunning(
      DSLContext dsl, Condition which, int most) {
    return dsl.select(QUEUE_ORDERING_MEMBER.GROUP_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .from(QUEUE_ORDERING_GROUP)
        .join(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
        .on(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID))
        .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(RUNNING))
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDERING_MEMBER.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_MEMBER.MESSAGE_ID))
        .leftJoin(QUEUE_TOPIC)
        .on(QUEUE_TOPIC.TOPIC.eq(QUEUE_ORDERING_GROUP.TOPIC))
        .where(which)
        .and(QUEUE_ORDERING_GROUP.HAS_CONCURRENT.eq((byte) 1))
        .and(HOLDS_NONE)
        .limit(most)
        .fetch(row -> new JooqGroups.Place(TopicKeyId.of(row.value1()), row.value2()));
  }

  /**
   * A redrive may have released one since the scan, so the condition is checked again under the
   * lock.
   */
  private static int forget(DSLContext dsl, List<JooqGroups.Place> found) {
    List<TopicKeyId> groups = found.stream().map(JooqGroups.Place::group).distinct().toList();
    Set<TopicKeyId> locked =
        JooqGroups.lockFree(dsl, groups).stream()
            .map(GroupState::group)
            .collect(Collectors.toSet());
    if (locked.isEmpty()) {
      return 0;
    }
    List<JooqGroups.Place> mine =
        abandonedRunning(
            dsl, QUEUE_ORDERING_GROUP.GROUP_ID.in(JooqGroups.bytes(locked)), found.size());
    JooqGroups.leave(dsl, mine, RUNNING);
    JooqOrderingGroups.markStalled(
        dsl, JooqGroups.bytes(mine.stream().map(JooqGroups.Place::group).distinct().toList()));
    return mine.size();
  }

  /** Checks the condition again under the lock, like {@code forget}. */
  private static int mark(DSLContext dsl, List<byte[]> found) {
    List<byte[]> locked = JooqOrderingGroups.lockFree(dsl, found);
    return locked.isEmpty()
        ? 0
        : markStalled(
            dsl, abandonedHeads(dsl, QUEUE_ORDERING_GROUP.GROUP_ID.in(locked), locked.size()));
  }

  private static int markStalled(DSLContext dsl, List<byte[]> locked) {
    if (locked.isEmpty()) {
      return 0;
    }
    return dsl.update(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .set(QUEUE_ORDERING_GROUP.MESSAGE_ID, DSL.inline((Long) null))
        .set(QUEUE_ORDERING_GROUP.SCAN_FROM, DSL.inline(0L))
        .set(QUEUE_ORDERING_GROUP.NEEDS_RELEASE, DSL.inline((byte) 1))
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDERING_GROUP.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(locked))
        .execute();
  }

  /**
   * Deletes the locks of keys under which nothing was enqueued for a day, and the rows of groups
   * that have been empty for ten minutes. Scans all of them, {@code batch} at a time.
   *
   * @return how many
   */
  public int prune(int batch) {
    return sum(batch, this::pruneHeads, this::pruneKeys);
  }

  private int pruneHeads(int batch) {
    return walk(
        batch,
        (dsl, from) ->
            dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_GROUP.GROUP_ID.gt(from))
                .and(IS_EMPTY)
                .orderBy(QUEUE_ORDERING_GROUP.GROUP_ID)
                .limit(batch)
                .fetch(QUEUE_ORDERING_GROUP.GROUP_ID),
        this::deleteHeads);
  }

  private int pruneKeys(int batch) {
    return walk(
        batch,
        (dsl, from) ->
            dsl.select(QUEUE_ORDERING_LOCK.GROUP_ID)
                .from(QUEUE_ORDERING_LOCK.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_LOCK.GROUP_ID.gt(from))
                .and(IS_OLD)
                .orderBy(QUEUE_ORDERING_LOCK.GROUP_ID)
                .limit(batch)
                .fetch(QUEUE_ORDERING_LOCK.GROUP_ID),
        found -> locks.delete(found, IS_OLD));
  }

  private int walk(
      int batch,
      BiFunction<DSLContext, byte[], List<byte[]>> poll,
      ToIntFunction<List<byte[]>> delete) {
    return IndependentParts.<byte[]>sumOfPages(
        batch,
        last -> transactions.read(dsl -> poll.apply(dsl, last == null ? new byte[0] : last)),
        delete);
  }

  private int deleteHeads(List<byte[]> found) {
    return RefusedRows.sum(
        unpruned.change(
            unpruned.others(found, TopicKeyId::of),
            TopicKeyId::of,
            some -> transactions.run(Transition.PRUNE_GROUPS, tx -> deleteHeads(tx.dsl(), some))));
  }

  /** Repairs groups that have waiting members and no first message, whatever the cause. */
  private static int deleteHeads(DSLContext dsl, List<byte[]> found) {
    Set<TopicKeyId> empty =
        ids(
            dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(found))
                .and(IS_EMPTY)
                .forUpdate()
                .skipLocked()
                .fetch(QUEUE_ORDERING_GROUP.GROUP_ID));
    Set<TopicKeyId> waited =
        ids(
            dsl.select(QUEUE_ORDERING_GROUP.GROUP_ID)
                .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(JooqGroups.bytes(empty)))
                .and(SOMEBODY_WAITS)
                .fetch(QUEUE_ORDERING_GROUP.GROUP_ID));
    markStalled(dsl, JooqGroups.bytes(waited));
    empty.removeAll(waited);
    return empty.isEmpty()
        ? 0
        : PrimaryKeyDelete.run(
            dsl, QUEUE_ORDERING_GROUP, QUEUE_ORDERING_GROUP.GROUP_ID.in(JooqGroups.bytes(empty)));
  }

  private static Set<TopicKeyId> ids(List<byte[]> bytes) {
    return bytes.stream().map(TopicKeyId::of).collect(Collectors.toCollection(HashSet::new));
  }
}
