package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Group;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.SelectLimitStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over matching dead letters by the time at which they were dead-lettered, a limited
 * number of rows per statement: of millions only a few may match, and the server cancels long reads
 * of the dashboard. Confined to one thread.
 */
final class JooqDeadLetterWalk {

  private static final int MOST_AT_ONCE = 5_000;

  private final Transactions transactions;
  private final DeadLetterQuery query;
  private final SearchStep step;
  private @Nullable Place after;

  /** The last place of the current range; null if the range is exhausted, or has no end. */
  private @Nullable Place end;

  private boolean inRange;
  private boolean atEnd;

  /** Iterates over those behind {@code after}; null for all. */
  JooqDeadLetterWalk(Transactions transactions, DeadLetterQuery query, @Nullable Place after) {
    this.transactions = transactions;
    this.query = query;
    this.step = new SearchStep(!query.rows().payload().isEmpty());
    this.after = after;
  }

  /** The place of a dead letter in the order. */
  record Place(Instant deadAt, long id) {}

  /** Returns the place up to which rows have been checked; null before the first. */
  @Nullable Place after() {
    return after;
  }

  /** Returns whether there are no rows behind {@link #after}. */
  boolean isAtEnd() {
    return atEnd;
  }

  /**
   * Returns up to {@code most} matches of one range of rows; an empty result does not mean the end.
   */
  List<MessageId> next(int most) {
    return step(most).stream().map(JooqDeadLetterWalk::id).toList();
  }

  private List<Record> step(int most, Field<?>... more) {
    if (!inRange) {
      end = query.rows().isAny() ? null : nextEnd();
      inRange = true;
    }
    long start = System.nanoTime();
    List<Record> found =
        transactions.read(
            dsl ->
                rows(dsl, query.others().and(end == null ? DSL.noCondition() : upTo(end)), more)
                    .limit(most)
                    .fetch());
    step.took(System.nanoTime() - start);
    if (!found.isEmpty()) {
      after = place(found.get(found.size() - 1));
    }
    if (found.size() < most) {
      after = end == null ? after : end;
      atEnd = end == null;
      inRange = false;
    }
    return found;
  }

  /** Returns up to {@code most} matches, as many as are found in this time. */
  List<MessageId> find(int most, Duration time) {
    return search(most, time).stream().map(JooqDeadLetterWalk::id).toList();
  }

  private List<Record> search(int most, Duration time, Field<?>... more) {
    List<Record> found = new ArrayList<>();
    long start = System.nanoTime();
    do {
      found.addAll(step(Math.min(MOST_AT_ONCE, most - found.size()), more));
    } while (found.size() < most && !atEnd && System.nanoTime() - start < time.toNanos());
    return found;
  }

  /** Returns the ordering keys of those of {@code ids} that have one. */
  Map<Long, String> orderingKeys(Collection<MessageId> ids) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.ORDERING_KEY)
                .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .where(QUEUE_DEAD_LETTER.ID.in(ids.stream().map(MessageId::value).toList()))
                .and(QUEUE_DEAD_LETTER.ORDERING_KEY.isNotNull())
                .fetchMap(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.ORDERING_KEY));
  }

  /**
   * Groups up to {@code most} matches, found newest first, by topic and error; without its text.
   */
  List<Group> groups(int most, Duration time) {
    Map<List<Object>, Group> groups = new LinkedHashMap<>();
    for (Record row : search(most, time, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.FINGERPRINT)) {
      String topic = row.get(QUEUE_DEAD_LETTER.TOPIC);
      long fingerprint = row.get(QUEUE_DEAD_LETTER.FINGERPRINT);
      Instant at = row.get(QUEUE_DEAD_LETTER.DEAD_AT);
      groups.merge(
          List.of(topic, fingerprint),
          new Group(topic, fingerprint, "", new Count(1, atEnd), at, at, id(row)),
          (newer, older) ->
              new Group(
                  topic,
                  fingerprint,
                  "",
                  newer.count().plus(older.count()),
                  older.first(),
                  newer.last(),
                  newer.newest()));
    }
    return List.copyOf(groups.values());
  }

  /** Counts the matches, up to {@code most}; those that need a search, for this time. */
  int count(int most, Duration time) {
    if (!query.rows().isAny()) {
      return find(most, time).size();
    }
    int found =
        transactions.read(dsl -> dsl.fetchCount(rows(dsl, DSL.noCondition()).limit(most + 1)));
    atEnd = found <= most;
    return Math.min(found, most);
  }

  private @Nullable Place nextEnd() {
    return transactions.read(
        dsl ->
            rows(dsl, DSL.noCondition())
                .limit(1)
                .offset(step.rows() - 1)
                .fetchOne(JooqDeadLetterWalk::place));
  }

  private SelectLimitStep<Record> rows(DSLContext dsl, Condition which, Field<?>... more) {
    return dsl.select(more)
        .select(QUEUE_DEAD_LETTER.DEAD_AT, QUEUE_DEAD_LETTER.ID)
        .from(QUEUE_DEAD_LETTER.forceIndex(query.index()))
        .where(query.indexed())
        .and(after == null ? DSL.noCondition() : behind(after))
        .and(which)
        .orderBy(order());
  }

  private static Place place(Record row) {
    return new Place(row.get(QUEUE_DEAD_LETTER.DEAD_AT), row.get(QUEUE_DEAD_LETTER.ID));
  }

  private static MessageId id(Record row) {
    return new MessageId(row.get(QUEUE_DEAD_LETTER.ID));
  }

  private List<OrderField<?>> order() {
    return query.oldestFirst()
        ? List.of(QUEUE_DEAD_LETTER.DEAD_AT, QUEUE_DEAD_LETTER.ID)
        : List.of(QUEUE_DEAD_LETTER.DEAD_AT.desc(), QUEUE_DEAD_LETTER.ID.desc());
  }

  private Condition behind(Place place) {
    boolean up = query.oldestFirst();
    return (up
            ? QUEUE_DEAD_LETTER.DEAD_AT.gt(place.deadAt())
            : QUEUE_DEAD_LETTER.DEAD_AT.lt(place.deadAt()))
        .or(
            QUEUE_DEAD_LETTER
                .DEAD_AT
                .eq(place.deadAt())
                .and(
                    up
                        ? QUEUE_DEAD_LETTER.ID.gt(place.id())
                        : QUEUE_DEAD_LETTER.ID.lt(place.id())));
  }

  /** The first condition is a range of the index. */
  private Condition upTo(Place place) {
    return (query.oldestFirst()
            ? QUEUE_DEAD_LETTER.DEAD_AT.le(place.deadAt())
            : QUEUE_DEAD_LETTER.DEAD_AT.ge(place.deadAt()))
        .andNot(behind(place));
  }
}
