package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.message.TopicKeyId;
import io.rowqueue.internal.table.tables.QueueOrderingMember;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jooq.CaseConditionStep;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record2;
import org.jooq.Record5;
import org.jooq.Record7;
import org.jooq.Select;
import org.jooq.SelectForUpdateStep;
import org.jooq.impl.DSL;

/**
 * Statements on locked group rows, the same number for one group as for a hundred. READ COMMITTED.
 */
final class JooqGroups {

  /**
   * When a message that was waiting became due; never in 1970, which marks a message that is not
   * admitted yet.
   */
  static final Field<Instant> DUE_AT = DSL.greatest(QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.CREATED_AT);

  static final Condition WAITS =
      QUEUE_MESSAGE.STATE.in(DSL.inline(MessageState.BLOCKED), DSL.inline(MessageState.ARRIVING));

  /** A member that waits. */
  static final Byte WAITING = 0;

  /** A member that may be handled concurrently with the first of its group. */
  static final Byte RUNNING = 1;

  private JooqGroups() {}

  /** The keys as statements bind them, in the order of locks. */
  static List<byte[]> bytes(Collection<TopicKeyId> lines) {
    return lines.stream().sorted().map(TopicKeyId::bytes).toList();
  }

  /** Locks the existing rows of {@code lines}, and waits for other transactions. */
  static List<GroupState> lock(DSLContext dsl, Collection<TopicKeyId> lines) {
    return withOthers(dsl, heads(dsl, lines).forUpdate().fetch());
  }

  /** Locks the existing rows of {@code lines} that no other transaction has locked. */
  static List<GroupState> lockFree(DSLContext dsl, Collection<TopicKeyId> lines) {
    return withOthers(dsl, heads(dsl, lines).forUpdate().skipLocked().fetch());
  }

  private static SelectForUpdateStep<
          ? extends Record7<byte[], Long, Long, Byte, Instant, Integer, Integer>>
      heads(DSLContext dsl, Collection<TopicKeyId> lines) {
    return dsl.select(
            QUEUE_ORDERING_GROUP.GROUP_ID,
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            QUEUE_ORDERING_GROUP.SCAN_FROM,
            QUEUE_ORDERING_GROUP.HAS_CONCURRENT,
            QUEUE_ORDERING_GROUP.NEXT_AT,
            JooqLimits.IN_FLIGHT,
            JooqLimits.PER_SECOND)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(bytes(lines)))
        .orderBy(QUEUE_ORDERING_GROUP.GROUP_ID);
  }

  private static List<GroupState> withOthers(
      DSLContext dsl,
      List<? extends Record7<byte[], Long, Long, Byte, Instant, Integer, Integer>> rows) {
    Map<TopicKeyId, Set<Long>> others =
        ConcurrentMessages.of(
            dsl,
            rows.stream()
                .filter(row -> row.value4() == 1)
                .map(row -> TopicKeyId.of(row.value1()))
                .toList());
    return rows.stream()
        .map(
            row -> {
              TopicKeyId line = TopicKeyId.of(row.value1());
              return new GroupState(
                  line,
                  row.value2(),
                  others.getOrDefault(line, Set.of()),
                  row.value3(),
                  row.value5(),
                  GroupLimits.of(row.value6(), row.value7()));
            })
        .toList();
  }

  /**
   * Makes the next messages of each group available as far as it has capacity. A group whose next
   * message is locked by another transaction, or may not start yet, is left for a later poll.
   *
   * @param heads locked
   * @param arrived waiting messages whose rows are locked already
   */
  static Released admitNext(
      DSLContext dsl, Collection<GroupState> heads, Map<Long, ReleasedMessage> arrived) {
    if (heads.isEmpty()) {
      return Released.NOTHING;
    }
    Map<TopicKeyId, List<Long>> next = next(dsl, heads);
    Instant now = heads.stream().anyMatch(head -> head.limits().hasRate()) ? now(dsl) : Instant.MIN;
    List<GroupRelease> may =
        heads.stream()
            .map(head -> GroupRelease.of(head, next.getOrDefault(head.line(), List.of()), now))
            .toList();
    Map<Long, ReleasedMessage> locked = new HashMap<>(arrived);
    locked.putAll(
        lockWaiting(
            dsl,
            may.stream()
                .flatMap(one -> one.released().stream())
                .filter(id -> !arrived.containsKey(id))));
    List<GroupRelease> going = may.stream().map(one -> one.limitedTo(locked.keySet())).toList();
    locked.keySet().retainAll(going.stream().flatMap(one -> one.released().stream()).toList());
    if (!locked.isEmpty()) {
      dsl.execute(makeAvailable(locked.keySet()));
    }
    write(dsl, going);
    return new Released(List.copyOf(locked.values()), going);
  }

  private static void write(DSLContext dsl, List<GroupRelease> going) {
    List<Place> concurrent = places(going, one -> one.headAfter().othersSince(one.before()));
    List<Place> first = new ArrayList<>(places(going, GroupRelease::released));
    first.removeAll(concurrent);
    leave(dsl, first, WAITING);
    ConcurrentMessages.add(dsl, concurrent);
    write(
        dsl,
        going.stream().map(GroupRelease::headAfter).toList(),
        going.stream()
            .filter(one -> one.firstBlocked() != null)
            .map(one -> one.before().line())
            .toList());
  }

  private static List<Place> places(
      List<GroupRelease> going, Function<GroupRelease, Collection<Long>> messages) {
    return going.stream()
        .flatMap(one -> messages.apply(one).stream().map(id -> new Place(one.before().line(), id)))
        .toList();
  }

  private static Instant now(DSLContext dsl) {
    return dsl.select(DatabaseClock.now()).fetchSingle().value1();
  }

  /**
   * The lowest waiting ids of each group with capacity. Without locks: other writers of these rows
   * need the lock on the group's row, except producers, whose messages must stay invisible before
   * their COMMIT.
   */
  private static Map<TopicKeyId, List<Long>> next(DSLContext dsl, Collection<GroupState> heads) {
    Map<TopicKeyId, List<Long>> next = new HashMap<>();
    heads.stream()
        .filter(head -> head.capacity() > 0)
        .map(head -> lowest(head.line(), head.nextFrom(), head.capacity()))
        .reduce(Select::unionAll)
        .ifPresent(
            all ->
                dsl.fetch(all)
                    .forEach(
                        row ->
                            next.computeIfAbsent(
                                    TopicKeyId.of(row.value1()), line -> new ArrayList<>())
                                .add(row.value2())));
    next.values().forEach(Collections::sort);
    return next;
  }

  static Select<Record2<byte[], Long>> lowest(TopicKeyId line, long from, int most) {
    return DSL.select(QUEUE_ORDERING_MEMBER.GROUP_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .from(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(line.bytes()))
        .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(DSL.inline(WAITING)))
        .and(QUEUE_ORDERING_MEMBER.MESSAGE_ID.ge(from))
        .orderBy(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .limit(most);
  }

  private static Map<Long, ReleasedMessage> lockWaiting(DSLContext dsl, Stream<Long> messages) {
    List<Long> ids = messages.toList();
    Map<Long, ReleasedMessage> locked = new HashMap<>();
    if (!ids.isEmpty()) {
      dsl.fetch(lockWaiting(ids))
          .forEach(
              row ->
                  locked.put(
                      row.value1(),
                      new ReleasedMessage(
                          new Topic(row.value2()),
                          new Candidate(row.value1(), row.value3(), row.value4(), row.value5()))));
    }
    return locked;
  }

  /** Locks those of {@code ids} that wait and that no other transaction has locked. */
  static Select<Record5<Long, String, Byte, Integer, Integer>> lockWaiting(Collection<Long> ids) {
    return DSL.select(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.LOST_CLAIMS)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(ids.stream().sorted().toList()))
        .and(WAITS)
        .forUpdate()
        .skipLocked();
  }

  /** Makes {@code ids}, whose rows are locked, available. */
  static Query makeAvailable(Collection<Long> ids) {
    return setState(ids, MessageState.AVAILABLE);
  }

  /** Sets another waiting state on {@code ids}, whose rows are locked. */
  static Query setState(Collection<Long> ids, byte state) {
    return DSL.update(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .set(QUEUE_MESSAGE.STATE, DSL.inline(state))
        .set(QUEUE_MESSAGE.DUE_AT, DUE_AT)
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_MESSAGE.ID.in(ids.stream().sorted().toList()));
  }

  /** Deletes members that wait, or run, or both. */
  static void leave(DSLContext dsl, Collection<Place> places, Byte... running) {
    if (!places.isEmpty()) {
      dsl.execute(leave(places, running));
    }
  }

  /** The statement that deletes members. */
  static Query leave(Collection<Place> places, Byte... running) {
    return PrimaryKeyDelete.of(
        QUEUE_ORDERING_MEMBER,
        are(QUEUE_ORDERING_MEMBER.as(PrimaryKeyDelete.ALIAS), places, running));
  }

  /** The rows of {@code places}, in the order of the primary key. */
  static Condition are(QueueOrderingMember table, Collection<Place> places, Byte... running) {
    return DSL.or(
        places.stream()
            .sorted()
            .map(
                place ->
                    table
                        .GROUP_ID
                        .eq(place.line().bytes())
                        .and(table.RUNNING.in(running))
                        .and(table.MESSAGE_ID.eq(place.messageId())))
            .toList());
  }

  /** Writes locked group rows. */
  static void write(DSLContext dsl, Collection<GroupState> heads, Collection<TopicKeyId> stalled) {
    List<GroupState> named = heads.stream().filter(head -> head.messageId() != null).toList();
    List<TopicKeyId> several =
        heads.stream().filter(head -> !head.others().isEmpty()).map(GroupState::line).toList();
    List<GroupState> paced = heads.stream().filter(head -> head.limits().hasRate()).toList();
    dsl.update(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .set(
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            named.isEmpty()
                ? DSL.inline((Long) null)
                : perLine(named, head -> Objects.requireNonNull(head.messageId())))
        .set(QUEUE_ORDERING_GROUP.SCAN_FROM, perLine(heads, GroupState::nextFrom))
        .set(
            QUEUE_ORDERING_GROUP.NEEDS_RELEASE,
            stalled.isEmpty() ? DSL.inline((byte) 0) : amongThem(stalled))
        .set(
            QUEUE_ORDERING_GROUP.HAS_CONCURRENT,
            several.isEmpty() ? DSL.inline((byte) 0) : amongThem(several))
        .set(
            QUEUE_ORDERING_GROUP.NEXT_AT,
            paced.isEmpty() ? QUEUE_ORDERING_GROUP.NEXT_AT : nextAt(paced))
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDERING_GROUP.UPDATED_AT, DatabaseClock.now())
        .where(
            QUEUE_ORDERING_GROUP.GROUP_ID.in(bytes(heads.stream().map(GroupState::line).toList())))
        .execute();
  }

  private static Field<Byte> amongThem(Collection<TopicKeyId> lines) {
    return DSL.when(QUEUE_ORDERING_GROUP.GROUP_ID.in(bytes(lines)), DSL.inline((byte) 1))
        .otherwise(DSL.inline((byte) 0));
  }

  private static Field<Instant> nextAt(List<GroupState> paced) {
    CaseConditionStep<Instant> cases = null;
    for (GroupState head : paced) {
      Condition its = QUEUE_ORDERING_GROUP.GROUP_ID.eq(head.line().bytes());
      Field<Instant> then = DSL.val(head.nextAt(), DatabaseClock.type());
      cases = cases == null ? DSL.when(its, then) : cases.when(its, then);
    }
    return Objects.requireNonNull(cases).otherwise(QUEUE_ORDERING_GROUP.NEXT_AT);
  }

  private static Field<Long> perLine(
      Collection<GroupState> heads, ToLongFunction<GroupState> value) {
    CaseConditionStep<Long> cases = null;
    for (GroupState head : heads) {
      Condition its = QUEUE_ORDERING_GROUP.GROUP_ID.eq(head.line().bytes());
      Field<Long> then = DSL.val(value.applyAsLong(head));
      cases = cases == null ? DSL.when(its, then) : cases.when(its, then);
    }
    return Objects.requireNonNull(cases);
  }

  /**
   * The outcome of a release of several groups.
   *
   * @param released messages that are available now
   * @param lines each group with its released messages
   */
  record Released(List<ReleasedMessage> released, List<GroupRelease> lines) {
    static final Released NOTHING = new Released(List.of(), List.of());

    /** The next messages of the groups that were left because another transaction has locked it. */
    List<Place> blocked() {
      return lines.stream()
          .filter(GroupRelease::isBlocked)
          .map(one -> new Place(one.before().line(), Objects.requireNonNull(one.firstBlocked())))
          .toList();
    }
  }

  /** A message's membership in its group. */
  record Place(TopicKeyId line, long messageId) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int first = line.compareTo(other.line);
      return first == 0 ? Long.compare(messageId, other.messageId) : first;
    }
  }
}
