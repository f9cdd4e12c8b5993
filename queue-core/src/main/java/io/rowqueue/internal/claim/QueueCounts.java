package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.Record4;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The one source of the queue's figures: messages by topic and state, dead letters, and the oldest
 * age. The command line, metrics, dashboard, doctor and back-pressure all read them here, so that
 * they agree.
 *
 * <p>Each count reads index entries only, takes no locks, and stops at a limit. One statement reads
 * up to {@link #AT_ONCE} topics. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails.
 */
public final class QueueCounts {

  /** The default limit of a count: about 25 ms of index reads. */
  public static final int MOST = 100_000;

  /** As the limit of a count: none. Takes about a second per million messages. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  /** The number of topics that one statement reads. */
  public static final int AT_ONCE = 32;

  /** Reads every available message, rather than those above a claimer's cursor. */
  public static final Function<String, NavigableMap<Byte, Long>> FROM_THE_START =
      topic -> new TreeMap<>();

  /** Enough that a retry that has just become due does not hide an older message behind it. */
  private static final int EXAMINED = 10;

  /**
   * Below this limit, only one message of each priority is examined, as each may cost a page read,
   * and one derived table has the entries of all counts. A derived table for each count takes twice
   * as long at a limit of 10, and two thirds of the time at 10,000.
   */
  private static final int SHORT = 5_000;

  private static final Field<Long> COUNT = DSL.field("COUNT(*)", SQLDataType.BIGINT);

  private static final Field<Integer> NUMBER = DSL.field(DSL.name("number"), SQLDataType.INTEGER);

  private static final Field<Integer> FIGURE = DSL.field(DSL.name("figure"), SQLDataType.INTEGER);

  private static final Field<Long> ID = DSL.field(DSL.name("id"), SQLDataType.BIGINT);

  private static final List<Field<Byte>> BLOCKED =
      List.of(DSL.inline(MessageState.BLOCKED), DSL.inline(MessageState.ARRIVING));

  private static final Field<Byte> NO_PRIORITY = DSL.inline(null, SQLDataType.TINYINT);

  private static final Field<Long> WAITED_MICROS =
      DSL.field(
          "TIMESTAMPDIFF(MICROSECOND, GREATEST({0}, {1}), UTC_TIMESTAMP(6))",
          SQLDataType.BIGINT, QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.CREATED_AT);

  private QueueCounts() {}

  /** What can be read of a topic. */
  public enum Figure {
    /** Messages that can be claimed now. */
    AVAILABLE,
    /** Messages that are due later. */
    SCHEDULED,
    /** Messages behind their ordering key, or not yet admitted to it. */
    BLOCKED,
    /** Messages claimed and not settled. */
    IN_FLIGHT,
    /** Dead letters. */
    DEAD_LETTERS,
    /** The age of the oldest available message. */
    OLDEST
  }

  /** All figures. */
  public static final Set<Figure> ALL = Set.of(Figure.values());

  /** In the order in which statements read them. */
  private static final List<Figure> FIGURES = List.of(Figure.values());

  /**
   * A number that may be a lower bound.
   *
   * @param number the count, or its lower bound
   * @param isAll whether the count is exact
   */
  public record Count(long number, boolean isAll) {

    /** Zero. */
    public static final Count NONE = new Count(0, true);

    /** The result of a count that stopped at {@code most}. */
    public static Count upTo(long most, long found) {
      return new Count(found, found < most);
    }

    /** Returns the sum. */
    public Count plus(Count other) {
      return new Count(number + other.number, isAll && other.isAll);
    }

    /** Returns whether nothing was counted. */
    public boolean isNone() {
      return number == 0;
    }
  }

  /**
   * The figures of a topic; those that were not requested are zero, or null.
   *
   * @param available messages that can be claimed now
   * @param scheduled messages that are due later
   * @param blocked messages behind their ordering key
   * @param inFlight messages claimed and not settled
   * @param deadLetters dead letters
   * @param oldest how long the oldest available message has waited since it was due; null if none
   *     is available. Examines the first ten messages of each priority in claim order; only the
   *     first with a limit below 5,000.
   */
  public record TopicCounts(
      Count available,
      Count scheduled,
      Count blocked,
      Count inFlight,
      Count deadLetters,
      @Nullable Duration oldest) {

    /** An empty topic. */
    public static final TopicCounts NONE =
        new TopicCounts(Count.NONE, Count.NONE, Count.NONE, Count.NONE, Count.NONE, null);

    /** Returns the number of messages in the queue. */
    public Count depth() {
      return available.plus(scheduled).plus(blocked).plus(inFlight);
    }

    /** Returns whether every count is exact. */
    public boolean isExact() {
      return depth().isAll() && deadLetters.isAll();
    }

    /** Returns the sum of all topics. */
    public static TopicCounts sum(Map<String, TopicCounts> topics) {
      return topics.values().stream().reduce(NONE, TopicCounts::plus);
    }

    /** Returns the sum, and the greater age. */
    public TopicCounts plus(TopicCounts other) {
      return new TopicCounts(
          available.plus(other.available),
          scheduled.plus(other.scheduled),
          blocked.plus(other.blocked),
          inFlight.plus(other.inFlight),
          deadLetters.plus(other.deadLetters),
          longer(oldest, other.oldest));
    }

    private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
      if (one == null || other == null) {
        return one == null ? other : one;
      }
      return one.compareTo(other) > 0 ? one : other;
    }
  }

  /**
   * What to read.
   *
   * @param figures the figures; others are not read and need no privilege
   * @param marks by topic: for each known priority, the id at and below which no message is
   *     available; empty to read everything
   * @param most where each count stops, at least one, or {@link #UNLIMITED}
   */
  public record Query(
      Set<Figure> figures, Function<String, NavigableMap<Byte, Long>> marks, long most) {

    /** All figures from the start, each count up to {@code most}. */
    public static Query all(long most) {
      return new Query(ALL, FROM_THE_START, most);
    }

    private boolean isShort() {
      return most < SHORT;
    }
  }

  /** Returns the figures of {@code topics}, by name. */
  public static Map<String, TopicCounts> read(
      DSLContext dsl, Collection<String> topics, Query query) {
    List<String> names = List.copyOf(topics);
    Map<String, TopicCounts> counts = new TreeMap<>();
    for (int from = 0; from < names.size(); from += AT_ONCE) {
      List<String> some = names.subList(from, Math.min(names.size(), from + AT_ONCE));
      counts.putAll(new Reading(dsl, some, query).read());
    }
    return counts;
  }

  /** Reads up to {@link #AT_ONCE} topics. */
  private static final class Reading {

    private final DSLContext dsl;
    private final List<String> topics;
    private final Query query;
    private final List<Map<Figure, Count>> counts = new ArrayList<>();

    /** By the number of the topic. */
    private final Map<Integer, Long> waitedMicros = new TreeMap<>();

    private final List<Select<Record4<Integer, Integer, Long, Byte>>> parts = new ArrayList<>();

    /** The number of a topic and a figure for each entry, up to a short limit. */
    private final List<Select<Record2<Integer, Integer>>> entries = new ArrayList<>();

    /** The number of a topic, and the id of one of its first available messages. */
    private final List<Select<Record2<Integer, Long>>> firsts = new ArrayList<>();

    Reading(DSLContext dsl, List<String> topics, Query query) {
      this.dsl = dsl;
      this.topics = topics;
      this.query = query;
      topics.forEach(any -> counts.add(new EnumMap<>(Figure.class)));
    }

    Map<String, TopicCounts> read() {
      for (int number = 0; number < topics.size(); number++) {
        for (Figure figure : FIGURES) {
          if (query.figures().contains(figure)) {
            addParts(number, figure);
          }
        }
      }
      Map<Integer, Byte> open = run();
      while (!open.isEmpty()) {
        open.forEach((number, last) -> addOldest(number, QUEUE_MESSAGE.PRIORITY.gt(last)));
        open = run();
      }
      Map<String, TopicCounts> all = new LinkedHashMap<>();
      for (int number = 0; number < topics.size(); number++) {
        all.put(topics.get(number), counts(number));
      }
      return all;
    }

    private TopicCounts counts(int number) {
      Map<Figure, Count> of = counts.get(number);
      Long waited = waitedMicros.get(number);
      return new TopicCounts(
          of.getOrDefault(Figure.AVAILABLE, Count.NONE),
          of.getOrDefault(Figure.SCHEDULED, Count.NONE),
          of.getOrDefault(Figure.BLOCKED, Count.NONE),
          of.getOrDefault(Figure.IN_FLIGHT, Count.NONE),
          of.getOrDefault(Figure.DEAD_LETTERS, Count.NONE),
          waited == null ? null : Duration.of(Math.max(0, waited), ChronoUnit.MICROS));
    }

    private void addParts(int number, Figure figure) {
      String topic = topics.get(number);
      switch (figure) {
        case AVAILABLE -> addMessages(number, figure, available(topic));
        case SCHEDULED ->
            addMessages(number, figure, JooqMessages.inState(topic, MessageState.SCHEDULED));
        case BLOCKED ->
            addMessages(
                number, figure, QUEUE_MESSAGE.TOPIC.eq(topic).and(QUEUE_MESSAGE.STATE.in(BLOCKED)));
        case IN_FLIGHT ->
            addMessages(number, figure, JooqMessages.inState(topic, MessageState.CLAIMED));
        case DEAD_LETTERS ->
            addCount(
                number,
                figure,
                QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"),
                QUEUE_DEAD_LETTER.TOPIC.eq(topic));
        case OLDEST -> addOldest(number, DSL.noCondition());
      }
    }

    private Condition available(String topic) {
      return JooqMessages.inState(topic, MessageState.AVAILABLE)
          .and(JooqCursor.above(query.marks().apply(topic)));
    }

    private void addMessages(int number, Figure figure, Condition which) {
      addCount(number, figure, JooqMessages.BY_CLAIM_KEY, which);
    }

    private void addCount(int number, Figure figure, Table<?> table, Condition which) {
      Field<Integer> topic = DSL.inline(number).as(NUMBER);
      Field<Integer> kind = DSL.inline(FIGURES.indexOf(figure)).as(FIGURE);
      Field<Long> most = DSL.inline(query.most());
      if (query.isShort()) {
        entries.add(DSL.select(topic, kind).from(table).where(which).limit(most));
      } else if (query.most() == UNLIMITED) {
        parts.add(DSL.select(topic, kind, COUNT, NO_PRIORITY).from(table).where(which));
      } else {
        Field<Long> id = table.field(QUEUE_MESSAGE.ID);
        Table<?> few = DSL.select(id).from(table).where(which).limit(most).asTable("few");
        parts.add(DSL.select(topic, kind, COUNT, NO_PRIORITY).from(few));
      }
    }

    private Select<Record4<Integer, Integer, Long, Byte>> counted() {
      Table<?> few = entries.stream().reduce(Select::unionAll).orElseThrow().asTable("few");
      entries.clear();
      return DSL.select(few.field(NUMBER), few.field(FIGURE), COUNT, NO_PRIORITY)
          .from(few)
          .groupBy(few.field(NUMBER), few.field(FIGURE));
    }

    private void addOldest(int number, Condition within) {
      Condition available = available(topics.get(number)).and(within);
      firsts.add(query.isShort() ? first(number, available) : firstTen(number, available));
    }

    /** The first of each priority; grouped by constants, too, so that it is a loose index scan. */
    private static Select<Record2<Integer, Long>> first(int number, Condition available) {
      return DSL.select(DSL.inline(number).as(NUMBER), DSL.min(QUEUE_MESSAGE.ID).as(ID))
          .from(JooqMessages.BY_CLAIM_KEY)
          .where(available)
          .groupBy(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.STATE, QUEUE_MESSAGE.PRIORITY);
    }

    /** Of one priority, if it has as many. */
    private static Select<Record2<Integer, Long>> firstTen(int number, Condition available) {
      return DSL.select(DSL.inline(number).as(NUMBER), QUEUE_MESSAGE.ID.as(ID))
          .from(JooqMessages.BY_CLAIM_KEY)
          .where(available)
          .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
          .limit(DSL.inline(EXAMINED));
    }

    /**
     * The rows of the ids that were found in the index. In one step, MySQL would read up to a
     * hundred rows ahead, whatever the limit: 5 ms instead of 0.5.
     */
    private Select<Record4<Integer, Integer, Long, Byte>> oldest() {
      Table<?> few = firsts.stream().reduce(Select::unionAll).orElseThrow().asTable("few");
      firsts.clear();
      return DSL.select(
              few.field(NUMBER),
              DSL.inline(FIGURES.indexOf(Figure.OLDEST)),
              WAITED_MICROS,
              QUEUE_MESSAGE.PRIORITY)
          .from(few)
          .straightJoin(QUEUE_MESSAGE)
          .on(QUEUE_MESSAGE.ID.eq(few.field(ID)));
    }

    /**
     * Sends the parts as one statement.
     *
     * @return by the number of the topic, the last priority examined, where there may be more
     */
    private Map<Integer, Byte> run() {
      if (!entries.isEmpty()) {
        parts.add(counted());
      }
      if (!firsts.isEmpty()) {
        parts.add(oldest());
      }
      Select<Record4<Integer, Integer, Long, Byte>> all =
          parts.stream().reduce(Select::unionAll).orElseThrow();
      parts.clear();
      Map<Integer, Integer> examined = new TreeMap<>();
      Map<Integer, Byte> last = new TreeMap<>();
      for (Record4<Integer, Integer, Long, Byte> row : dsl.fetch(all)) {
        int number = row.value1();
        Figure figure = FIGURES.get(row.value2());
        if (figure == Figure.OLDEST) {
          waitedMicros.merge(number, row.value3(), Math::max);
          examined.merge(number, 1, Integer::sum);
          last.merge(number, row.value4(), (one, other) -> one > other ? one : other);
        } else {
          counts.get(number).merge(figure, Count.upTo(query.most(), row.value3()), Count::plus);
        }
      }
      last.keySet()
          .removeIf(number -> query.isShort() || examined.getOrDefault(number, 0) < EXAMINED);
      return last;
    }
  }
}
