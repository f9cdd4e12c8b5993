package io.rowqueue.order;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.table.Tables.QUEUE_ORDER;
import static io.rowqueue.table.Tables.QUEUE_ORDER_HEAD;

import io.rowqueue.claim.MessageState;
import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.PrimaryKeyDelete;
import io.rowqueue.message.Topic;
import io.rowqueue.message.TopicKeyId;
import io.rowqueue.table.tables.QueueOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jooq.CaseConditionStep;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record2;
import org.jooq.Record3;
import org.jooq.Select;
import org.jooq.SelectForUpdateStep;
import org.jooq.impl.DSL;

/** What is done with locked heads, for a hundred lines as for one. READ COMMITTED. */
final class JooqHeads {

  /** When a message that was waiting became due: never in 1970. */
  static final Field<Instant> DUE_AT = DSL.greatest(QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.CREATED_AT);

  static final Condition WAITS =
      QUEUE_MESSAGE.STATE.in(DSL.inline(MessageState.IN_LINE), DSL.inline(MessageState.ARRIVING));

  private JooqHeads() {}

  /** The keys as statements name them, in the order of locks. */
  static List<byte[]> bytes(Collection<TopicKeyId> lines) {
    return lines.stream().sorted().map(TopicKeyId::bytes).toList();
  }

  /** The heads of {@code lines} that there are, once nobody else has them. */
  static List<Head> lock(DSLContext dsl, Collection<TopicKeyId> lines) {
    return heads(dsl, lines).forUpdate().fetch(JooqHeads::head);
  }

  /** Those that nobody else has. */
  static List<Head> lockFree(DSLContext dsl, Collection<TopicKeyId> lines) {
    return heads(dsl, lines).forUpdate().skipLocked().fetch(JooqHeads::head);
  }

  private static SelectForUpdateStep<? extends Record3<byte[], Long, Long>> heads(
      DSLContext dsl, Collection<TopicKeyId> lines) {
    return dsl.select(
            QUEUE_ORDER_HEAD.ORDER_ID, QUEUE_ORDER_HEAD.MESSAGE_ID, QUEUE_ORDER_HEAD.NEXT_FROM)
        .from(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
        .where(QUEUE_ORDER_HEAD.ORDER_ID.in(bytes(lines)))
        .orderBy(QUEUE_ORDER_HEAD.ORDER_ID);
  }

  private static Head head(Record3<byte[], Long, Long> row) {
    return new Head(TopicKeyId.of(row.value1()), row.value2(), row.value3());
  }

  /**
   * Lets the next of each line without a head go; a line whose next is in somebody else's hands is
   * left for a later look.
   *
   * @param free locked, and without a head
   */
  static Released free(DSLContext dsl, Collection<Head> free) {
    if (free.isEmpty()) {
      return Released.NOTHING;
    }
    Map<TopicKeyId, Long> next = next(dsl, free);
    Map<Long, Freed> freed = new HashMap<>();
    makeAvailable(dsl, next.values()).forEach(one -> freed.put(one.id(), one));
    List<Place> gone = new ArrayList<>();
    List<Place> blocked = new ArrayList<>();
    next.forEach((line, id) -> (freed.containsKey(id) ? gone : blocked).add(new Place(line, id)));
    deletePlaces(dsl, gone);
    write(dsl, after(free, next, freed), blocked.stream().map(Place::line).toList());
    return new Released(List.copyOf(freed.values()), blocked);
  }

  /**
   * The lowest that waits in each line. Without locks: whoever else writes here has the head, or is
   * a producer, whose message this transaction shall not see before its COMMIT.
   */
  private static Map<TopicKeyId, Long> next(DSLContext dsl, Collection<Head> free) {
    Map<TopicKeyId, Long> next = new HashMap<>();
    free.stream()
        .map(JooqHeads::lowest)
        .reduce(Select::unionAll)
        .ifPresent(
            all ->
                dsl.fetch(all).forEach(row -> next.put(TopicKeyId.of(row.value1()), row.value2())));
    return next;
  }

  static Select<Record2<byte[], Long>> lowest(Head head) {
    return DSL.select(QUEUE_ORDER.ORDER_ID, QUEUE_ORDER.MESSAGE_ID)
        .from(QUEUE_ORDER.forceIndex("PRIMARY"))
        .where(QUEUE_ORDER.ORDER_ID.eq(head.line().bytes()))
        .and(QUEUE_ORDER.MESSAGE_ID.ge(head.nextFrom()))
        .orderBy(QUEUE_ORDER.MESSAGE_ID)
        .limit(1);
  }

  /**
   * Makes messages that wait in line available. One that an operator or a replacing producer has is
   * passed over.
   */
  static List<Freed> makeAvailable(DSLContext dsl, Collection<Long> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    List<Freed> freed =
        dsl.fetch(lockWaiting(ids))
            .map(row -> new Freed(new Topic(row.value2()), row.value3(), row.value1()));
    if (!freed.isEmpty()) {
      dsl.execute(makeAvailable(freed.stream().map(Freed::id).toList()));
    }
    return freed;
  }

  /** Those of {@code ids} that wait in line, and that nobody else has. */
  static Select<Record3<Long, String, Byte>> lockWaiting(Collection<Long> ids) {
    return DSL.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.PRIORITY)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.in(ids.stream().sorted().toList()))
        .and(WAITS)
        .forUpdate()
        .skipLocked();
  }

  /** Makes {@code ids}, which are locked, available. */
  static Query makeAvailable(Collection<Long> ids) {
    return setState(ids, MessageState.AVAILABLE);
  }

  /** Gives {@code ids}, which are locked, another state of waiting. */
  static Query setState(Collection<Long> ids, byte state) {
    return DSL.update(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .set(QUEUE_MESSAGE.STATE, DSL.inline(state))
        .set(QUEUE_MESSAGE.DUE_AT, DUE_AT)
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_MESSAGE.ID.in(ids.stream().sorted().toList()));
  }

  /** Takes messages out of their lines. */
  static void deletePlaces(DSLContext dsl, Collection<Place> places) {
    if (!places.isEmpty()) {
      dsl.execute(leave(places));
    }
  }

  /** The statement that does. */
  static Query leave(Collection<Place> places) {
    return PrimaryKeyDelete.of(
        QUEUE_ORDER,
        DSL.or(
            places.stream()
                .sorted()
                .map(place -> is(QUEUE_ORDER.as(PrimaryKeyDelete.ALIAS), place))
                .toList()));
  }

  private static Condition is(QueueOrder table, Place place) {
    return table.ORDER_ID.eq(place.line().bytes()).and(table.MESSAGE_ID.eq(place.messageId()));
  }

  private static List<Head> after(
      Collection<Head> free, Map<TopicKeyId, Long> next, Map<Long, Freed> freed) {
    return free.stream()
        .map(
            head -> {
              Long id = next.get(head.line());
              Long named = id != null && freed.containsKey(id) ? id : null;
              return new Head(head.line(), named, id == null ? head.nextFrom() : id);
            })
        .toList();
  }

  /** Writes locked heads. */
  static void write(DSLContext dsl, Collection<Head> heads, Collection<TopicKeyId> stalled) {
    List<Head> named = heads.stream().filter(head -> head.messageId() != null).toList();
    dsl.update(QUEUE_ORDER_HEAD.forceIndex("PRIMARY"))
        .set(
            QUEUE_ORDER_HEAD.MESSAGE_ID,
            named.isEmpty()
                ? DSL.inline((Long) null)
                : perLine(named, head -> Objects.requireNonNull(head.messageId())))
        .set(QUEUE_ORDER_HEAD.NEXT_FROM, perLine(heads, Head::nextFrom))
        .set(
            QUEUE_ORDER_HEAD.STALLED,
            stalled.isEmpty()
                ? DSL.inline((byte) 0)
                : DSL.when(QUEUE_ORDER_HEAD.ORDER_ID.in(bytes(stalled)), DSL.inline((byte) 1))
                    .otherwise(DSL.inline((byte) 0)))
        .set(QUEUE_ORDER_HEAD.VERSION, QUEUE_ORDER_HEAD.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDER_HEAD.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_ORDER_HEAD.ORDER_ID.in(bytes(heads.stream().map(Head::line).toList())))
        .execute();
  }

  private static Field<Long> perLine(Collection<Head> heads, ToLongFunction<Head> value) {
    CaseConditionStep<Long> cases = null;
    for (Head head : heads) {
      Condition its = QUEUE_ORDER_HEAD.ORDER_ID.eq(head.line().bytes());
      Field<Long> then = DSL.val(value.applyAsLong(head));
      cases = cases == null ? DSL.when(its, then) : cases.when(its, then);
    }
    return Objects.requireNonNull(cases);
  }

  /**
   * What became of lines without a head.
   *
   * @param freed the new heads
   * @param blocked the next of the lines that were left
   */
  record Released(List<Freed> freed, List<Place> blocked) {
    static final Released NOTHING = new Released(List.of(), List.of());
  }

  /** A message's place in its line. */
  record Place(TopicKeyId line, long messageId) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int first = line.compareTo(other.line);
      return first == 0 ? Long.compare(messageId, other.messageId) : first;
    }
  }
}
