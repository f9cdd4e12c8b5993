package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.MessageLocation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.SelectLimitPercentStep;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages of the queue by what their rows hold, without their payloads. Topic and state are
 * found by an index; for the other conditions at most {@link #MOST_EXAMINED} rows are read.
 */
public final class JooqMessageQuery {

  /** Maximum number of rows that are compared with conditions for which there is no index. */
  public static final int MOST_EXAMINED = 100_000;

  private static final List<Field<?>> COLUMNS =
      List.of(
          QUEUE_MESSAGE.ID,
          QUEUE_MESSAGE.TOPIC,
          QUEUE_MESSAGE.STATE,
          QUEUE_MESSAGE.PRIORITY,
          QUEUE_MESSAGE.CLAIM_NUMBER,
          QUEUE_MESSAGE.ATTEMPTS,
          QUEUE_MESSAGE.LOST_CLAIMS,
          QUEUE_MESSAGE.CREATED_AT,
          QUEUE_MESSAGE.DUE_AT,
          QUEUE_MESSAGE.LOCK_ID,
          QUEUE_MESSAGE.ORDERING_KEY);

  private final Transactions transactions;

  public JooqMessageQuery(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * What messages have in common.
   *
   * @param topic their topic; null for any
   * @param place their location in the queue; null for any
   * @param orderingKey their ordering key; null for any
   * @param headers the headers that each has, among others
   * @param since the earliest time at which they were enqueued; null for any
   * @param until the time before which they were enqueued; null for any
   */
  public record Filter(
      @Nullable String topic,
      @Nullable MessageLocation place,
      @Nullable String orderingKey,
      Map<String, String> headers,
      @Nullable Instant since,
      @Nullable Instant until) {

    /** Copies the headers. */
    public Filter {
      headers = Map.copyOf(headers);
    }
  }

  /** A message without its payload and headers. */
  public record Row(
      long id,
      String topic,
      MessageLocation place,
      int priority,
      int claims,
      int attempts,
      int lost,
      Instant createdAt,
      Instant dueAt,
      String worker,
      @Nullable String orderingKey) {}

  /**
   * The messages found.
   *
   * @param rows with a topic in claim order by state, else with a state by due time, else the
   *     newest first
   * @param all whether every message was examined, or so many found as were asked for
   */
  public record Found(List<Row> rows, boolean all) {}

  /** Returns up to {@code limit} messages that match. Locks nothing. */
  public Found list(Filter filter, int limit) {
    Path path = path(filter);
    Condition rest = rest(filter);
    if (rest.equals(DSL.noCondition())) {
      return new Found(
          transactions.read(
              dsl ->
                  dsl.select(COLUMNS)
                      .from(path.table())
                      .where(path.where())
                      .orderBy(path.order())
                      .limit(limit)
                      .fetch(JooqMessageQuery::row)),
          true);
    }
    SelectLimitPercentStep<Record1<Long>> first =
        DSL.select(QUEUE_MESSAGE.ID)
            .from(path.table())
            .where(path.where())
            .orderBy(path.order())
            .limit(MOST_EXAMINED);
    Table<Record1<Long>> examined = first.asTable("examined");
    Field<Long> id = Objects.requireNonNull(examined.field(QUEUE_MESSAGE.ID));
    List<Row> rows =
        transactions.read(
            dsl ->
                dsl.select(COLUMNS)
                    .from(examined)
                    .join(QUEUE_MESSAGE)
                    .on(QUEUE_MESSAGE.ID.eq(id))
                    .where(rest)
                    .orderBy(path.order())
                    .limit(limit)
                    .fetch(JooqMessageQuery::row));
    return new Found(
        rows,
        rows.size() == limit || transactions.read(dsl -> dsl.fetchCount(first)) < MOST_EXAMINED);
  }

  /** The index that is read, from its start, and in which order. */
  private record Path(Table<?> table, Condition where, List<OrderField<?>> order) {}

  private static Path path(Filter filter) {
    MessageLocation place = filter.place();
    Condition state = place == null ? DSL.noCondition() : QUEUE_MESSAGE.STATE.in(states(place));
    if (filter.topic() != null) {
      return new Path(
          QUEUE_MESSAGE.forceIndex("queue_message_claim"),
          QUEUE_MESSAGE.TOPIC.eq(filter.topic()).and(state),
          List.of(QUEUE_MESSAGE.STATE, QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID));
    }
    return place == null
        ? new Path(QUEUE_MESSAGE.forceIndex("PRIMARY"), state, List.of(QUEUE_MESSAGE.ID.desc()))
        : new Path(
            QUEUE_MESSAGE.forceIndex("queue_message_due"),
            state,
            List.of(QUEUE_MESSAGE.STATE, QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.ID));
  }

  private static List<Byte> states(MessageLocation place) {
    return switch (place) {
      case AVAILABLE -> List.of(MessageState.AVAILABLE);
      case SCHEDULED -> List.of(MessageState.SCHEDULED);
      case BLOCKED -> List.of(MessageState.BLOCKED, MessageState.ARRIVING);
      case IN_FLIGHT -> List.of(MessageState.CLAIMED);
      default -> throw new IllegalArgumentException(place.label() + " is not in the queue");
    };
  }

  /** The conditions for which there is no index. */
  private static Condition rest(Filter filter) {
    List<Condition> conditions = new ArrayList<>();
    if (filter.orderingKey() != null) {
      conditions.add(QUEUE_MESSAGE.ORDERING_KEY.eq(filter.orderingKey()));
    }
    if (!filter.headers().isEmpty()) {
      // Headers that SQL wrote may not be JSON, which is an error on MySQL.
      conditions.add(
          DSL.condition(
              "CASE WHEN JSON_VALID({0}) THEN JSON_CONTAINS({0}, {1}) ELSE 0 END = 1",
              QUEUE_MESSAGE.HEADERS, DSL.val(Headers.toJson(filter.headers()), SQLDataType.CLOB)));
    }
    if (filter.since() != null) {
      conditions.add(QUEUE_MESSAGE.CREATED_AT.ge(DSL.val(filter.since(), DatabaseClock.type())));
    }
    if (filter.until() != null) {
      conditions.add(QUEUE_MESSAGE.CREATED_AT.lt(DSL.val(filter.until(), DatabaseClock.type())));
    }
    return conditions.isEmpty() ? DSL.noCondition() : DSL.and(conditions);
  }

  private static Row row(Record found) {
    return new Row(
        found.get(QUEUE_MESSAGE.ID),
        found.get(QUEUE_MESSAGE.TOPIC),
        JooqFinding.place(found.get(QUEUE_MESSAGE.STATE)),
        found.get(QUEUE_MESSAGE.PRIORITY),
        found.get(QUEUE_MESSAGE.CLAIM_NUMBER),
        found.get(QUEUE_MESSAGE.ATTEMPTS),
        found.get(QUEUE_MESSAGE.LOST_CLAIMS),
        found.get(QUEUE_MESSAGE.CREATED_AT),
        JooqFinding.due(found),
        found.get(QUEUE_MESSAGE.LOCK_ID),
        found.get(QUEUE_MESSAGE.ORDERING_KEY));
  }
}
