package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.UtcText;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Query;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.Select;
import org.jooq.SelectForUpdateStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Statements on locked group rows, the same number for one group as for a hundred. READ COMMITTED.
 * Those of a release are rendered only once, because they run for every message with an ordering
 * key. Thread-safe.
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

  private static final byte[] NO_GROUP = new byte[0];

  private static final List<Field<?>> COLUMNS =
      List.of(
          QUEUE_ORDERING_GROUP.GROUP_ID,
          QUEUE_ORDERING_GROUP.MESSAGE_ID,
          QUEUE_ORDERING_GROUP.SCAN_FROM,
          QUEUE_ORDERING_GROUP.HAS_CONCURRENT,
          QUEUE_ORDERING_GROUP.NEXT_AT,
          QUEUE_ORDERING_GROUP.TOPIC);

  private static final String VALUES =
      "SELECT CAST({0} AS SIGNED) message, CAST({0} AS SIGNED) scan, CAST({0} AS SIGNED) needs,"
          + " CAST({0} AS SIGNED) has, CAST({0} AS DATETIME(6)) at, CAST({0} AS BINARY(16)) id";

  private static final String KEY =
      "SELECT CAST({%s} AS BINARY(16)) id, CAST({%s} AS SIGNED) state,"
          + " CAST({%s} AS SIGNED) message";

  private final RenderedStatement lock;
  private final RenderedStatement lowest;
  private final RenderedStatement lockWaiting;
  private final RenderedStatement makeAvailable;
  private final RenderedStatement leave;
  private final RenderedStatement write;

  JooqGroups(ServerDialect dialect) {
    this.lock =
        new RenderedStatement(
            dialect,
            groups ->
                withLimits(
                    DSL.using(dialect.jooq()),
                    rows(Collections.nCopies(groups, NO_GROUP)).forUpdate()));
    this.lowest = new RenderedStatement(dialect, JooqGroups::lowest);
    this.lockWaiting = new RenderedStatement(dialect, JooqGroups::lockWaiting);
    this.makeAvailable =
        new RenderedStatement(
            dialect, ids -> setState(Collections.nCopies(ids, 0L), MessageState.AVAILABLE));
    this.leave =
        new RenderedStatement(
            dialect,
            places ->
                leave(Collections.nCopies(places, new Place(TopicKeyId.of(NO_GROUP), 0)), WAITING));
    this.write = new RenderedStatement(dialect, JooqGroups::write);
  }

  /** The keys as statements bind them, in the order of locks. */
  static List<byte[]> bytes(Collection<TopicKeyId> groups) {
    return groups.stream().sorted().map(TopicKeyId::bytes).toList();
  }

  /** Leaves {@code delayed} out of a query. */
  static Condition others(Field<byte[]> group, Set<TopicKeyId> delayed) {
    return delayed.isEmpty() ? DSL.noCondition() : group.notIn(bytes(delayed));
  }

  /** Locks the existing rows of {@code groups} that no other transaction has locked. */
  static List<GroupState> lockFree(DSLContext dsl, Collection<TopicKeyId> groups) {
    return withOthers(
        () -> dsl,
        withLimits(dsl, rows(bytes(groups)).forUpdate().skipLocked())
            .fetch(
                row ->
                    new Row(
                        TopicKeyId.of(row.get(QUEUE_ORDERING_GROUP.GROUP_ID)),
                        row.get(QUEUE_ORDERING_GROUP.MESSAGE_ID),
                        row.get(QUEUE_ORDERING_GROUP.SCAN_FROM),
                        row.get(QUEUE_ORDERING_GROUP.HAS_CONCURRENT) == 1,
                        row.get(QUEUE_ORDERING_GROUP.NEXT_AT),
                        GroupLimits.of(
                            row.get(JooqLimits.IN_FLIGHT), row.get(JooqLimits.PER_SECOND)))));
  }

  /** The limit makes the servers lock all rows before they return the first. */
  private static SelectForUpdateStep<Record> rows(List<byte[]> groups) {
    return DSL.select(COLUMNS)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(groups))
        .orderBy(QUEUE_ORDERING_GROUP.GROUP_ID)
        .limit(DSL.inline(groups.size()));
  }

  /**
   * Reads the limits of locked rows, after the last of them is locked: MariaDB with
   * innodb_snapshot_isolation, its default since 11.6, opens a snapshot for the first read without
   * a lock, and refuses to lock a row that was changed after it (error 1020).
   */
  private static Select<Record> withLimits(DSLContext dsl, Select<Record> locked) {
    return dsl.select(COLUMNS)
        .select(JooqLimits.IN_FLIGHT, JooqLimits.PER_SECOND)
        .from(locked.asTable(QUEUE_ORDERING_GROUP.getUnqualifiedName()))
        .orderBy(QUEUE_ORDERING_GROUP.GROUP_ID);
  }

  private static List<GroupState> withOthers(Supplier<DSLContext> dsl, Collection<Row> rows) {
    List<TopicKeyId> several = rows.stream().filter(Row::hasConcurrent).map(Row::group).toList();
    Map<TopicKeyId, Set<Long>> others =
        several.isEmpty() ? Map.of() : ConcurrentMessages.of(dsl.get(), several);
    return rows.stream().map(row -> row.with(others.getOrDefault(row.group(), Set.of()))).toList();
  }

  /** Locks the existing rows of {@code groups}, and waits for other transactions. */
  List<GroupState> lock(Transaction transaction, Collection<TopicKeyId> groups)
      throws SQLException {
    List<byte[]> padded = RenderedStatement.padded(bytes(groups));
    return withOthers(
        transaction::dsl,
        lock.query(transaction.connection(), padded.size(), padded, JooqGroups::row));
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        TopicKeyId.of(row.getBytes(1)),
        row.getObject(2, Long.class),
        row.getLong(3),
        row.getInt(4) == 1,
        row.getObject(5, LocalDateTime.class).toInstant(ZoneOffset.UTC),
        GroupLimits.of(row.getObject(7, Integer.class), row.getObject(8, Integer.class)));
  }

  /**
   * Makes the next messages of each group available as far as it has capacity. A group whose next
   * message is locked by another transaction, or may not start yet, is left for a later poll.
   *
   * @param states locked
   * @param locked waiting messages whose rows are locked already
   */
  Released admitNext(
      Transaction transaction, Collection<GroupState> states, Map<Long, ReleasedMessage> locked)
      throws SQLException {
    if (states.isEmpty()) {
      return Released.NOTHING;
    }
    Map<TopicKeyId, List<Long>> next =
        next(transaction, states.stream().filter(state -> state.capacity() > 0).toList());
    Instant now =
        states.stream().anyMatch(state -> state.limits().hasRate())
            ? now(transaction.dsl())
            : Instant.MIN;
    List<GroupRelease> may =
        states.stream()
            .map(state -> GroupRelease.of(state, next.getOrDefault(state.group(), List.of()), now))
            .toList();
    List<Long> wanted = may.stream().flatMap(one -> one.released().stream()).toList();
    Map<Long, ReleasedMessage> mine = new HashMap<>(locked);
    mine.putAll(
        lockWaiting(transaction, wanted.stream().filter(id -> !locked.containsKey(id)).toList()));
    List<GroupRelease> going = may.stream().map(one -> one.limitedTo(mine.keySet())).toList();
    List<Long> released = going.stream().flatMap(one -> one.released().stream()).toList();
    makeAvailable(transaction, released);
    write(transaction, going);
    return new Released(released.stream().map(mine::get).toList(), going);
  }

  private static List<Place> places(
      List<GroupRelease> going, Function<GroupRelease, Collection<Long>> messages) {
    return going.stream()
        .flatMap(one -> messages.apply(one).stream().map(id -> new Place(one.before().group(), id)))
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
  private Map<TopicKeyId, List<Long>> next(Transaction transaction, List<GroupState> states)
      throws SQLException {
    Map<TopicKeyId, Set<Long>> next = new HashMap<>();
    if (!states.isEmpty()) {
      List<GroupState> padded = RenderedStatement.padded(states);
      List<Object> parameters = new ArrayList<>();
      for (GroupState state : padded) {
        parameters.addAll(Arrays.asList(state.group().bytes(), state.nextFrom(), state.capacity()));
      }
      lowest
          .query(
              transaction.connection(),
              padded.size(),
              parameters,
              row -> new Place(TopicKeyId.of(row.getBytes(1)), row.getLong(2)))
          .forEach(
              place ->
                  next.computeIfAbsent(place.group(), group -> new TreeSet<>())
                      .add(place.messageId()));
    }
    return next.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, one -> List.copyOf(one.getValue())));
  }

  private static Query lowest(int groups) {
    return Stream.generate(JooqGroups::lowest).limit(groups).reduce(Select::unionAll).orElseThrow();
  }

  private static Select<Record2<byte[], Long>> lowest() {
    return DSL.select(QUEUE_ORDERING_MEMBER.GROUP_ID, QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .from(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(NO_GROUP))
        .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(DSL.inline(WAITING)))
        .and(QUEUE_ORDERING_MEMBER.MESSAGE_ID.ge(0L))
        .orderBy(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
        .limit(1);
  }

  /** Locks those of {@code ids} that wait and that no other transaction has locked. */
  private Map<Long, ReleasedMessage> lockWaiting(Transaction transaction, List<Long> ids)
      throws SQLException {
    Map<Long, ReleasedMessage> locked = new HashMap<>();
    if (!ids.isEmpty()) {
      List<Long> padded = RenderedStatement.padded(ids.stream().sorted().toList());
      lockWaiting
          .query(
              transaction.connection(),
              padded.size(),
              padded,
              row ->
                  new ReleasedMessage(
                      new Topic(row.getString(2)),
                      new Candidate(row.getLong(1), row.getByte(3), row.getInt(4), row.getInt(5))))
          .forEach(one -> locked.put(one.candidate().id(), one));
    }
    return locked;
  }

  private static Query lockWaiting(int ids) {
    return DSL.select(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.LOST_CLAIMS)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(Collections.nCopies(ids, 0L)))
        .and(WAITS)
        .forUpdate()
        .skipLocked();
  }

  /** Makes {@code ids}, whose rows are locked, available. */
  void makeAvailable(Transaction transaction, Collection<Long> ids) throws SQLException {
    if (!ids.isEmpty()) {
      List<Long> padded = RenderedStatement.padded(ids.stream().sorted().toList());
      makeAvailable.update(transaction.connection(), padded.size(), padded);
    }
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

  /**
   * The statement that deletes members, joined with their keys: a small table whose columns all
   * belong to the key would be scanned otherwise, and the statement would wait for other members.
   */
  static Query leave(Collection<Place> places, Byte... running) {
    List<Param<?>> keys = new ArrayList<>();
    for (Place place : places.stream().sorted().toList()) {
      for (Byte state : running) {
        keys.add(DSL.val(place.group().bytes()));
        keys.add(DSL.val(state));
        keys.add(DSL.val(place.messageId()));
      }
    }
    String rows =
        IntStream.range(0, keys.size() / 3)
            .mapToObj(row -> KEY.formatted(3 * row, 3 * row + 1, 3 * row + 2))
            .collect(Collectors.joining(" UNION ALL "));
    return DSL.query(
        "DELETE m FROM ({0}) v STRAIGHT_JOIN {1} m FORCE INDEX (PRIMARY)"
            + " ON m.group_id = v.id AND m.running = v.state AND m.message_id = v.message",
        DSL.sql(rows, keys.toArray(Param[]::new)), QUEUE_ORDERING_MEMBER);
  }

  /** Writes locked group rows and their members. */
  private void write(Transaction transaction, List<GroupRelease> going) throws SQLException {
    List<Place> concurrent = places(going, one -> one.stateAfter().othersSince(one.before()));
    List<Place> first = new ArrayList<>(places(going, GroupRelease::released));
    first.removeAll(concurrent);
    if (!first.isEmpty()) {
      List<Place> padded = RenderedStatement.padded(first.stream().sorted().toList());
      List<Object> parameters = new ArrayList<>();
      padded.forEach(
          place ->
              parameters.addAll(Arrays.asList(place.group().bytes(), WAITING, place.messageId())));
      leave.update(transaction.connection(), padded.size(), parameters);
    }
    if (!concurrent.isEmpty()) {
      ConcurrentMessages.add(transaction.dsl(), concurrent);
    }
    List<GroupRelease> padded = RenderedStatement.padded(going);
    List<@Nullable Object> parameters = new ArrayList<>();
    padded.forEach(one -> parameters.addAll(values(one)));
    write.update(transaction.connection(), padded.size(), parameters);
  }

  /** In the order of the parameters of {@link #write}. */
  private static List<@Nullable Object> values(GroupRelease one) {
    GroupState after = one.stateAfter();
    return Arrays.asList(
        after.messageId(),
        after.nextFrom(),
        one.firstBlocked() == null ? 0 : 1,
        after.others().isEmpty() ? 0 : 1,
        UtcText.of(LocalDateTime.ofInstant(after.nextAt(), ZoneOffset.UTC)),
        after.group().bytes());
  }

  /**
   * Writes group rows. Those of several groups are joined with their values: with a CASE for each
   * column, the statement would be four times as long, and the server would compare each row with
   * every key.
   */
  private static Query write(int groups) {
    Param<Long> value = DSL.val(0L);
    if (groups == 1) {
      return DSL.query(
          "UPDATE {0} g FORCE INDEX (PRIMARY) SET message_id = {1}, scan_from = {1},"
              + " needs_release = {1}, has_concurrent = {1}, next_at = CAST({1} AS DATETIME(6)),"
              + " version = version + 1, updated_at = {2} WHERE group_id = {1}",
          QUEUE_ORDERING_GROUP, value, DatabaseClock.now());
    }
    return DSL.query(
        "UPDATE ({3}) v STRAIGHT_JOIN {0} g FORCE INDEX (PRIMARY) ON g.group_id = v.id"
            + " SET g.message_id = v.message, g.scan_from = v.scan, g.needs_release = v.needs,"
            + " g.has_concurrent = v.has, g.next_at = v.at, g.version = g.version + 1,"
            + " g.updated_at = {2}",
        QUEUE_ORDERING_GROUP,
        value,
        DatabaseClock.now(),
        DSL.sql(String.join(" UNION ALL ", Collections.nCopies(groups, VALUES)), value));
  }

  /**
   * The outcome of a release of several groups.
   *
   * @param released messages that are available now
   * @param groups each group with its released messages
   */
  record Released(List<ReleasedMessage> released, List<GroupRelease> groups) {
    static final Released NOTHING = new Released(List.of(), List.of());

    /** The next messages of the groups that were left because another transaction has locked it. */
    List<Place> blocked() {
      return groups.stream()
          .filter(GroupRelease::isBlocked)
          .map(one -> new Place(one.before().group(), Objects.requireNonNull(one.firstBlocked())))
          .toList();
    }
  }

  /** A locked group row without the messages that run concurrently with its first. */
  private record Row(
      TopicKeyId group,
      @Nullable Long messageId,
      long nextFrom,
      boolean hasConcurrent,
      Instant nextAt,
      GroupLimits limits) {

    GroupState with(Set<Long> others) {
      return new GroupState(group, messageId, others, nextFrom, nextAt, limits);
    }
  }

  /** A message's membership in its group. */
  record Place(TopicKeyId group, long messageId) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int first = group.compareTo(other.group);
      return first == 0 ? Long.compare(messageId, other.messageId) : first;
    }
  }
}
