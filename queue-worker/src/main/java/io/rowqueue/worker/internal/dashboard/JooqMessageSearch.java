package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.Headers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.SelectJoinStep;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Searches messages for the dashboard and the command line, without their payloads. Reads ranges of
 * an index for a limited time, and can be continued. Confined to one thread.
 */
public final class JooqMessageSearch {

  private static final Field<Instant> NOW = DatabaseClock.now().as("read_at");

  private static final Field<Long> SIZE =
      DSL.field("OCTET_LENGTH({0})", SQLDataType.BIGINT, QUEUE_MESSAGE.PAYLOAD).as("size");

  private static final Field<Long> NO_SIZE = DSL.inline(0L).as(SIZE);

  private final Transactions transactions;
  private final Scope scope;
  private final Filter filter;
  private final SearchStep step;
  private @Nullable Place after;
  private boolean atEnd;

  /** Searches behind {@code after}; null for all. */
  public JooqMessageSearch(
      Transactions transactions, Scope scope, Filter filter, @Nullable Place after) {
    this.transactions = transactions;
    this.scope = scope;
    this.filter = filter;
    this.step = new SearchStep(!filter.payload().isEmpty() || !filter.error().isEmpty());
    this.after = after;
  }

  /**
   * What an index has: the messages of a topic and state in claim order, those of a state by due
   * time, or all, the newest first.
   *
   * @param topic their topic, only together with a state; null for any
   * @param state their state; null for any
   */
  public record Scope(@Nullable String topic, @Nullable Byte state) {

    /** All messages. */
    public static final Scope ALL = new Scope(null, null);

    private String index() {
      if (state == null) {
        return "PRIMARY";
      }
      return topic == null ? "queue_message_due" : "queue_message_claim";
    }

    Condition rows() {
      return DSL.and(
          topic == null ? DSL.noCondition() : QUEUE_MESSAGE.TOPIC.eq(topic),
          state == null ? DSL.noCondition() : QUEUE_MESSAGE.STATE.eq(DSL.inline(state)));
    }

    /** The column by which those of a state are ordered, before their ids. */
    @SuppressWarnings("unchecked")
    private Field<Object> first() {
      return (Field<Object>)
          (Field<?>) (topic == null ? QUEUE_MESSAGE.DUE_AT : QUEUE_MESSAGE.PRIORITY);
    }

    private List<OrderField<?>> order() {
      return state == null ? List.of(QUEUE_MESSAGE.ID.desc()) : List.of(first(), QUEUE_MESSAGE.ID);
    }

    private Place place(Row row) {
      return new Place(topic == null ? row.dueAt() : (Object) (byte) row.priority(), row.id());
    }

    private Condition behind(Place place) {
      return state == null
          ? QUEUE_MESSAGE.ID.lt(place.id())
          : first()
              .gt(place.first())
              .or(first().eq(place.first()).and(QUEUE_MESSAGE.ID.gt(place.id())));
    }

    /** The first condition is a range of the index. */
    private Condition upTo(Place place) {
      return (state == null ? QUEUE_MESSAGE.ID.ge(place.id()) : first().le(place.first()))
          .andNot(behind(place));
    }
  }

  /**
   * The place of a message in the order.
   *
   * @param first its priority if a topic is searched, its due time if a state is, else unused
   */
  public record Place(Object first, long id) {}

  /**
   * What no index has.
   *
   * @param orderingKey their ordering key; null for any
   * @param headers the headers that each has, among others
   * @param since the earliest time at which they were enqueued; null for any
   * @param until the time before which they were enqueued; null for any
   * @param payload a part of their payload; empty for any
   * @param error a part of their last error, in any case; empty for any
   * @param attempts how many failed attempts each has at least
   * @param changedUntil the time before which they were last changed; null for any
   */
  public record Filter(
      @Nullable String orderingKey,
      Map<String, String> headers,
      @Nullable Instant since,
      @Nullable Instant until,
      String payload,
      String error,
      int attempts,
      @Nullable Instant changedUntil) {

    /** Every message. */
    static final Filter ANY = new Filter(null, Map.of(), null, null, "");

    /** Of any number of failed attempts, whenever they were changed. */
    public Filter(
        @Nullable String orderingKey,
        Map<String, String> headers,
        @Nullable Instant since,
        @Nullable Instant until,
        String payload) {
      this(orderingKey, headers, since, until, payload, "", 0, null);
    }

    private Condition rows() {
      return DSL.and(
          attempts == 0 ? DSL.noCondition() : QUEUE_MESSAGE.ATTEMPTS.ge(attempts),
          changedUntil == null ? DSL.noCondition() : QUEUE_MESSAGE.UPDATED_AT.lt(changedUntil),
          orderingKey == null ? DSL.noCondition() : QUEUE_MESSAGE.ORDERING_KEY.eq(orderingKey),
          headers.isEmpty() ? DSL.noCondition() : Headers.areIn(QUEUE_MESSAGE.HEADERS, headers),
          since == null ? DSL.noCondition() : QUEUE_MESSAGE.CREATED_AT.ge(since),
          until == null ? DSL.noCondition() : QUEUE_MESSAGE.CREATED_AT.lt(until),
          payload.isEmpty() ? DSL.noCondition() : hasPayload(QUEUE_MESSAGE.PAYLOAD, payload),
          error.isEmpty() ? DSL.noCondition() : hasFailedWith(error));
    }

    private static Condition hasFailedWith(String part) {
      return QUEUE_MESSAGE
          .ATTEMPTS
          .gt(0)
          .and(
              ExistsCondition.of(
                  DSL.selectOne()
                      .from(QUEUE_ATTEMPT.forceIndex("PRIMARY"))
                      .where(QUEUE_ATTEMPT.MESSAGE_ID.eq(QUEUE_MESSAGE.ID))
                      .and(QUEUE_ATTEMPT.ATTEMPT.eq(QUEUE_MESSAGE.ATTEMPTS))
                      .and(
                          "LOCATE(LOWER({0}), LOWER(CONCAT({1}, ': ', {2}))) > 0",
                          DSL.val(part), QUEUE_ATTEMPT.ERROR_CLASS, QUEUE_ATTEMPT.ERROR_MESSAGE)));
    }
  }

  /** Compares the stored bytes with the text in UTF-8. */
  static Condition hasPayload(Field<byte[]> column, String part) {
    return DSL.condition(
        "LOCATE({0}, {1}) > 0", DSL.val(part.getBytes(StandardCharsets.UTF_8)), column);
  }

  /** A message, read at the time {@code at}. */
  public record Row(
      long id,
      String topic,
      byte state,
      int priority,
      int claims,
      int attempts,
      int lost,
      String worker,
      @Nullable String orderingKey,
      long size,
      Instant createdAt,
      Instant dueAt,
      Instant updatedAt,
      Instant at) {}

  /** Returns the place up to which rows have been checked; null before the first. */
  @Nullable Place after() {
    return after;
  }

  /** Returns whether there are no rows behind {@link #after}. */
  public boolean isAtEnd() {
    return atEnd;
  }

  /** Returns up to {@code most} matches, as many as are found in this time. */
  List<Row> findWithSizes(int most, Duration time) {
    return find(most, time, SIZE);
  }

  /** Returns up to {@code most} matches without sizes, for which the server reads the payloads. */
  public List<Row> find(int most, Duration time) {
    return find(most, time, NO_SIZE);
  }

  private List<Row> find(int most, Duration time, Field<Long> size) {
    List<Row> found = new ArrayList<>();
    if (most == 0) {
      return found;
    }
    long start = System.nanoTime();
    do {
      found.addAll(transactions.read(dsl -> next(dsl, most - found.size(), size)));
    } while (found.size() < most && !atEnd && System.nanoTime() - start < time.toNanos());
    return found;
  }

  /**
   * Returns up to {@code most} matches of the next range of rows, without sizes; an empty result
   * does not mean the end.
   */
  List<Row> next(int most) {
    return transactions.read(dsl -> next(dsl, most, NO_SIZE));
  }

  /**
   * Counts the matches, up to {@code most}, as many as are found in this time or in the first range
   * of rows, so that a few are counted exactly however slow the server is.
   */
  int count(int most, Duration time) {
    int found = 0;
    long start = System.nanoTime();
    do {
      int left = most - found;
      found += transactions.read(dsl -> countNext(dsl, left));
    } while (found < most && !atEnd && System.nanoTime() - start < time.toNanos());
    return found;
  }

  private int countNext(DSLContext dsl, int most) {
    Condition rest = rest();
    Place end = filter.equals(Filter.ANY) ? null : end(dsl, rest);
    long start = System.nanoTime();
    int found =
        dsl.fetchCount(
            dsl.selectOne()
                .from(QUEUE_MESSAGE.forceIndex(scope.index()))
                .where(end == null ? rest : rest.and(scope.upTo(end)))
                .and(filter.rows())
                .limit(most + 1));
    step.took(System.nanoTime() - start);
    after = end == null ? after : end;
    atEnd = end == null && found <= most;
    return Math.min(found, most);
  }

  private Condition rest() {
    return after == null ? scope.rows() : scope.rows().and(scope.behind(after));
  }

  /** Returns up to {@code most} matches of the next range of rows; without a filter, of all. */
  private List<Row> next(DSLContext dsl, int most, Field<Long> size) {
    Condition rest = rest();
    Place end = filter.equals(Filter.ANY) ? null : end(dsl, rest);
    long start = System.nanoTime();
    List<Row> rows =
        select(dsl, scope.index(), size)
            .where(end == null ? rest : rest.and(scope.upTo(end)))
            .and(filter.rows())
            .orderBy(scope.order())
            .limit(most + 1)
            .fetch(JooqMessageSearch::row);
    step.took(System.nanoTime() - start);
    if (rows.size() > most) {
      after = scope.place(rows.get(most - 1));
      return rows.subList(0, most);
    }
    after = end == null ? after : end;
    atEnd = end == null;
    return rows;
  }

  /** The last place of the next range; null if the range is the last. */
  private @Nullable Place end(DSLContext dsl, Condition rest) {
    return dsl.select(scope.state() == null ? QUEUE_MESSAGE.ID : scope.first(), QUEUE_MESSAGE.ID)
        .from(QUEUE_MESSAGE.forceIndex(scope.index()))
        .where(rest)
        .orderBy(scope.order())
        .limit(1)
        .offset(step.rows() - 1)
        .fetchOne(row -> new Place(row.get(0), row.get(QUEUE_MESSAGE.ID)));
  }

  /** Reads these of {@code ids} with their sizes, the newest first. */
  static List<Row> all(DSLContext dsl, Collection<Long> ids) {
    return select(dsl, "PRIMARY", SIZE)
        .where(QUEUE_MESSAGE.ID.in(ids))
        .orderBy(QUEUE_MESSAGE.ID.desc())
        .fetch(JooqMessageSearch::row);
  }

  private static SelectJoinStep<? extends Record> select(
      DSLContext dsl, String index, Field<Long> size) {
    return dsl.select(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.STATE,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.ATTEMPTS,
            QUEUE_MESSAGE.LOST_CLAIMS,
            QUEUE_MESSAGE.LOCK_ID,
            QUEUE_MESSAGE.ORDERING_KEY,
            size,
            QUEUE_MESSAGE.CREATED_AT,
            QUEUE_MESSAGE.DUE_AT,
            QUEUE_MESSAGE.UPDATED_AT,
            NOW)
        .from(QUEUE_MESSAGE.forceIndex(index));
  }

  private static Row row(Record found) {
    return new Row(
        found.get(QUEUE_MESSAGE.ID),
        found.get(QUEUE_MESSAGE.TOPIC),
        found.get(QUEUE_MESSAGE.STATE),
        found.get(QUEUE_MESSAGE.PRIORITY),
        found.get(QUEUE_MESSAGE.CLAIM_NUMBER),
        found.get(QUEUE_MESSAGE.ATTEMPTS),
        found.get(QUEUE_MESSAGE.LOST_CLAIMS),
        found.get(QUEUE_MESSAGE.LOCK_ID),
        found.get(QUEUE_MESSAGE.ORDERING_KEY),
        found.get(SIZE),
        found.get(QUEUE_MESSAGE.CREATED_AT),
        found.get(QUEUE_MESSAGE.DUE_AT),
        found.get(QUEUE_MESSAGE.UPDATED_AT),
        found.get(NOW));
  }
}
