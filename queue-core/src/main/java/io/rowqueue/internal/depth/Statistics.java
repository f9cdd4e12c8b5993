package io.rowqueue.internal.depth;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_STATISTICS;

import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.InsertedValue;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.operate.JooqTopicNames;
import io.rowqueue.internal.table.tables.QueueStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of all workers, by topic and period. Every worker adds its figures once a minute
 * to the rows of the current minute, ten minutes and hour, in a transaction of its own.
 * Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the database still fails
 * after all retries; if the answer to a COMMIT was lost, a minute may be counted twice.
 */
public final class Statistics {

  /** The topic of the rows of all topics, with what only a sample knows. */
  public static final String ALL = "";

  /** Figures written in the first half of a minute belong to the minute before it. */
  private static final Duration LATE = Duration.ofSeconds(30);

  /** Without a sample for longer, the change since then is unknown. */
  private static final Duration LONGEST_GAP = Duration.ofHours(1);

  /** The limit for messages, and for each count of them, in a sample. */
  private static final int MOST_TOPICS = 1_000;

  private static final int MOST_COUNTED = 2_000_000;

  /** The limit for new messages that a sample counts by topic, since it reads their rows. */
  private static final int MOST_ADDED = 10_000;

  private static final List<Field<Long>> FIGURES = figures();

  private final Transactions transactions;
  private final int mostCounted;
  private final RefusedRows<Instant> refused = Pruning.rows("the deletion of statistics of");

  public Statistics(Transactions transactions) {
    this(transactions, MOST_COUNTED);
  }

  /** A sample counts about {@code mostCounted} messages at most. */
  Statistics(Transactions transactions, int mostCounted) {
    this.transactions = transactions;
    this.mostCounted = mostCounted;
  }

  private static List<Field<Long>> figures() {
    QueueStatistics s = QUEUE_STATISTICS;
    List<Field<Long>> all =
        new ArrayList<>(List.of(s.COMPLETED, s.RETRIED, s.DEAD_LETTERED, s.HANDLING_MICROS));
    for (String name : List.of("handling_", "pickup_")) {
      for (int bucket = 0; bucket < Histogram.BUCKETS; bucket++) {
        all.add(DSL.field(DSL.name(s.getName(), name + bucket), SQLDataType.BIGINT));
      }
    }
    return List.copyOf(all);
  }

  /** The length of a period, and how long its rows are kept. */
  public enum Period {
    /** Kept for a day. */
    MINUTE(1, Duration.ofDays(1)),
    /** Kept for eight days. */
    TEN_MINUTES(10, Duration.ofDays(8)),
    /** Kept for eight days. */
    HOUR(60, Duration.ofDays(8));

    private final short minutes;
    private final Duration retention;

    Period(int minutes, Duration retention) {
      this.minutes = (short) minutes;
      this.retention = retention;
    }

    /** Returns its length. */
    public Duration length() {
      return Duration.ofMinutes(minutes);
    }

    /** Returns the start of the period that {@code time} is in. */
    public Instant start(Instant time) {
      long seconds = 60L * minutes;
      return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }
  }

  /**
   * The figures of a topic in a period.
   *
   * @param startsAt its start
   * @param topic the topic, or {@link #ALL}
   * @param enqueued messages enqueued; null if unknown. Of one topic, it is derived from completed
   *     and dead-lettered messages and the change of the depth: cancelled messages lower it,
   *     redriven ones raise it. With too many messages to count, it is the number of new ones that
   *     are still in the queue. Of all topics, it is the growth of the ids: enqueues that were
   *     rolled back raise it, redriven messages do not.
   * @param depth messages in the queue in the period's last minute, estimated if there are too many
   *     to count; null if unknown
   * @param oldest how long the oldest available message had waited then; null if there was none
   * @param work what workers did
   */
  public record Row(
      Instant startsAt,
      String topic,
      @Nullable Long enqueued,
      @Nullable Count depth,
      @Nullable Duration oldest,
      WorkCounts work) {}

  /** Returns the start of the last period whose figures are complete at {@code now}. */
  public static Instant lastComplete(Period period, Instant now) {
    return period.start(now.minus(LATE).minus(period.length()));
  }

  /** Returns the database's time. */
  public Instant now() {
    return transactions.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  /** Adds what a worker did until {@code now} by the database's clock, by topic. */
  public void add(Map<String, WorkCounts> work, Instant now) {
    if (!work.isEmpty()) {
      Map<String, WorkCounts> sorted = new TreeMap<>(work);
      transactions.run(Transition.RECORD_STATISTICS, tx -> write(tx.dsl(), sorted, now));
    }
  }

  /** One statement, whose rows are in the order of the key, so that workers do not deadlock. */
  private static int write(DSLContext dsl, Map<String, WorkCounts> work, Instant now) {
    List<Field<?>> columns = key();
    columns.addAll(FIGURES);
    var insert = dsl.insertInto(QUEUE_STATISTICS, columns);
    for (Period period : Period.values()) {
      for (Map.Entry<String, WorkCounts> topic : work.entrySet()) {
        List<Object> values = key(period, now, topic.getKey());
        for (int i = 0; i < FIGURES.size(); i++) {
          values.add(topic.getValue().figure(i));
        }
        insert = insert.values(values);
      }
    }
    Map<Field<?>, Field<?>> sums = new LinkedHashMap<>();
    FIGURES.forEach(column -> sums.put(column, column.plus(InsertedValue.of(column))));
    return insert.onDuplicateKeyUpdate().set(sums).execute();
  }

  private static List<Field<?>> key() {
    return new ArrayList<>(
        List.of(QUEUE_STATISTICS.MINUTES, QUEUE_STATISTICS.STARTS_AT, QUEUE_STATISTICS.TOPIC));
  }

  private static List<Object> key(Period period, Instant now, String topic) {
    return new ArrayList<>(List.of(period.minutes, period.start(now.minus(LATE)), topic));
  }

  /**
   * Counts the messages of all topics and derives how many were enqueued, unless another worker has
   * done so in this minute. Takes no locks for longer than it writes a row a topic.
   *
   * @return whether it took the sample
   */
  public boolean sample(Instant now) {
    Instant minute = Period.MINUTE.start(now.minus(LATE));
    if (transactions.read(dsl -> isSampled(dsl, minute))) {
      return false;
    }
    // A failure must not leave the row that says that the minute was sampled.
    Map<String, TopicCounts> counts = transactions.read(this::counts);
    MessageTable table = transactions.read(dsl -> MessageTable.read(dsl, transactions.dialect()));
    boolean isCounted = TopicCounts.sum(counts).depth().isAll();
    Before before = transactions.read(dsl -> Before.read(dsl, minute, table, isCounted));
    Map<String, TopicCounts> estimates =
        JooqEstimates.complete(transactions, counts, new JooqTableSize(table.rows, 0, now));
    List<Sampled> rows = new ArrayList<>();
    rows.add(ofAll(counts, table, before));
    rows.addAll(byTopic(estimates, before));
    int written =
        transactions.run(
            Transition.RECORD_STATISTICS,
            tx -> isFirst(tx.dsl(), now) ? write(tx.dsl(), rows, now) : 0);
    return written > 0;
  }

  private static boolean isSampled(DSLContext dsl, Instant minute) {
    return dsl.fetchExists(
        DSL.selectOne()
            .from(QUEUE_STATISTICS)
            .where(QUEUE_STATISTICS.MINUTES.eq(Period.MINUTE.minutes))
            .and(QUEUE_STATISTICS.STARTS_AT.eq(minute))
            .and(QUEUE_STATISTICS.TOPIC.eq(ALL)));
  }

  private static boolean isFirst(DSLContext dsl, Instant now) {
    return dsl.insertInto(QUEUE_STATISTICS, key())
            .values(key(Period.MINUTE, now, ALL))
            .onDuplicateKeyIgnore()
            .execute()
        > 0;
  }

  private Map<String, TopicCounts> counts(DSLContext dsl) {
    Set<String> names = JooqTopicNames.ofMessages(dsl, MOST_TOPICS);
    long most = Math.min(QueueCounts.MOST, mostCounted / Math.max(1, names.size()));
    return QueueCounts.read(
        dsl, names, new QueueCounts.Query(DEPTH_AND_OLDEST, QueueCounts.FROM_THE_START, most));
  }

  private static final Set<QueueCounts.Figure> DEPTH_AND_OLDEST =
      Set.of(
          QueueCounts.Figure.AVAILABLE,
          QueueCounts.Figure.SCHEDULED,
          QueueCounts.Figure.BLOCKED,
          QueueCounts.Figure.IN_FLIGHT,
          QueueCounts.Figure.OLDEST);

  private static Sampled ofAll(
      Map<String, TopicCounts> counts, MessageTable table, @Nullable Before before) {
    TopicCounts sum = TopicCounts.sum(counts);
    boolean isCounted = sum.depth().isAll() && counts.size() < MOST_TOPICS;
    return new Sampled(
        ALL,
        before == null ? null : before.enqueuedToAll,
        isCounted ? sum.depth() : new Count(Math.max(sum.depth().number(), table.rows), false),
        seconds(sum.oldest()),
        table.nextId == 0 ? null : table.nextId);
  }

  private static List<Sampled> byTopic(Map<String, TopicCounts> counts, @Nullable Before before) {
    List<Sampled> rows = new ArrayList<>();
    Set<String> topics = new TreeSet<>(counts.keySet());
    if (before != null) {
      topics.addAll(before.topics.keySet());
    }
    for (String topic : topics) {
      TopicCounts now = counts.getOrDefault(topic, TopicCounts.NONE);
      Long enqueued = before == null ? null : before.enqueued(topic, now.depth());
      rows.add(new Sampled(topic, enqueued, now.depth(), seconds(now.oldest()), null));
    }
    return rows;
  }

  private static @Nullable Integer seconds(@Nullable Duration time) {
    return time == null ? null : (int) Math.min(Integer.MAX_VALUE, time.toSeconds());
  }

  private static int write(DSLContext dsl, List<Sampled> rows, Instant now) {
    QueueStatistics s = QUEUE_STATISTICS;
    List<Field<?>> columns = key();
    List<Field<?>> latest = List.of(s.DEPTH, s.DEPTH_ESTIMATED, s.OLDEST_SECONDS, s.NEXT_ID);
    columns.add(s.ENQUEUED);
    columns.addAll(latest);
    var insert = dsl.insertInto(s, columns);
    for (Period period : Period.values()) {
      for (Sampled row : rows) {
        List<@Nullable Object> values = new ArrayList<>(key(period, now, row.topic()));
        values.add(row.enqueued());
        values.add(row.depth().number());
        values.add((byte) (row.depth().isAll() ? 0 : 1));
        values.add(row.oldestSeconds());
        values.add(row.nextId());
        insert = insert.values(values);
      }
    }
    Map<Field<?>, Field<?>> changes = new LinkedHashMap<>();
    // NULL, unknown, stays NULL until the period ends.
    changes.put(s.ENQUEUED, s.ENQUEUED.plus(InsertedValue.of(s.ENQUEUED)));
    latest.forEach(column -> changes.put(column, InsertedValue.of(column)));
    return insert.onDuplicateKeyUpdate().set(changes).execute();
  }

  /** Returns the rows of {@code period} that start at or after {@code since}, oldest first. */
  public List<Row> read(Period period, Instant since) {
    return read(period, QUEUE_STATISTICS.STARTS_AT.ge(since));
  }

  /**
   * Returns the rows of {@code topic} and {@link #ALL} from {@code since} to {@code until}, by
   * their keys: rows of other topics lie in between.
   */
  public List<Row> read(Period period, Instant since, Instant until, String topic) {
    List<Instant> starts =
        Stream.iterate(
                period.start(until),
                start -> !start.isBefore(since),
                start -> start.minus(period.length()))
            .toList();
    return read(
        period, QUEUE_STATISTICS.STARTS_AT.in(starts).and(QUEUE_STATISTICS.TOPIC.in(ALL, topic)));
  }

  private List<Row> read(Period period, Condition which) {
    QueueStatistics s = QUEUE_STATISTICS;
    List<Field<?>> columns =
        new ArrayList<>(
            List.of(
                s.STARTS_AT, s.TOPIC, s.ENQUEUED, s.DEPTH, s.DEPTH_ESTIMATED, s.OLDEST_SECONDS));
    columns.addAll(FIGURES);
    return transactions.read(
        dsl ->
            dsl.select(columns)
                .from(s)
                .where(s.MINUTES.eq(period.minutes))
                .and(which)
                .orderBy(s.STARTS_AT, s.TOPIC)
                .fetch(Statistics::row));
  }

  /** Returns the start of the first row of {@code period}; null if there is none. */
  public @Nullable Instant first(Period period) {
    return transactions.read(
        dsl ->
            dsl.select(DSL.min(QUEUE_STATISTICS.STARTS_AT))
                .from(QUEUE_STATISTICS)
                .where(QUEUE_STATISTICS.MINUTES.eq(period.minutes))
                .fetchSingle()
                .value1());
  }

  private static Row row(Record row) {
    long[] figures = new long[WorkCounts.FIGURES];
    for (int i = 0; i < figures.length; i++) {
      figures[i] = row.get(FIGURES.get(i));
    }
    Long depth = row.get(QUEUE_STATISTICS.DEPTH);
    Integer oldest = row.get(QUEUE_STATISTICS.OLDEST_SECONDS);
    return new Row(
        row.get(QUEUE_STATISTICS.STARTS_AT),
        row.get(QUEUE_STATISTICS.TOPIC),
        row.get(QUEUE_STATISTICS.ENQUEUED),
        depth == null ? null : new Count(depth, row.get(QUEUE_STATISTICS.DEPTH_ESTIMATED) == 0),
        oldest == null ? null : Duration.ofSeconds(oldest),
        new WorkCounts(figures));
  }

  /**
   * Deletes expired rows.
   *
   * @param limit about how many, at least one
   * @return how many; fewer than {@code limit} if none is left
   */
  public int prune(int limit) {
    Instant now = now();
    return IndependentParts.sum(
        List.of(Period.values()), period -> prune(period, now.minus(period.retention), limit));
  }

  private int prune(Period period, Instant until, int limit) {
    QueueStatistics s = QUEUE_STATISTICS;
    List<Instant> expired =
        transactions.read(
            dsl ->
                dsl.select(s.STARTS_AT)
                    .from(s)
                    .where(s.MINUTES.eq(period.minutes))
                    .and(s.STARTS_AT.lt(until))
                    .and(refused.others(s.STARTS_AT))
                    .orderBy(s.STARTS_AT)
                    .limit(limit)
                    .fetch(s.STARTS_AT));
    return RefusedRows.sum(
        refused.change(
            expired.stream().distinct().toList(),
            start -> start,
            some ->
                transactions.run(
                    Transition.RECORD_STATISTICS,
                    tx ->
                        PrimaryKeyDelete.run(
                            tx.dsl(), s, s.MINUTES.eq(period.minutes).and(s.STARTS_AT.in(some))))));
  }

  /** What a sample writes of a topic. */
  private record Sampled(
      String topic,
      @Nullable Long enqueued,
      Count depth,
      @Nullable Integer oldestSeconds,
      @Nullable Long nextId) {}

  /**
   * The changes since the previous sample.
   *
   * @param enqueuedToAll the growth of the ids; null if unknown
   * @param topics by name
   */
  private record Before(@Nullable Long enqueuedToAll, Map<String, Since> topics) {

    /**
     * Null if there was none in the last hour.
     *
     * @param isCounted whether the depths of this sample are known
     */
    static @Nullable Before read(
        DSLContext dsl, Instant minute, MessageTable table, boolean isCounted) {
      QueueStatistics s = QUEUE_STATISTICS;
      Record last =
          dsl.select(s.STARTS_AT, s.NEXT_ID)
              .from(s)
              .where(s.MINUTES.eq(Period.MINUTE.minutes))
              .and(s.STARTS_AT.lt(minute))
              .and(s.STARTS_AT.ge(minute.minus(LONGEST_GAP)))
              .and(s.TOPIC.eq(ALL))
              .and(s.NEXT_ID.isNotNull())
              .orderBy(s.STARTS_AT.desc())
              .limit(1)
              .fetchOne();
      if (last == null) {
        return null;
      }
      Map<String, Since> topics = topics(dsl, last.get(s.STARTS_AT), minute);
      long from = last.get(s.NEXT_ID);
      if (table.nextId < from) {
        return new Before(null, topics);
      }
      if (!isCounted || topics.values().stream().anyMatch(one -> one.depth == null)) {
        Map<String, Long> added = table.added(dsl, from);
        added.keySet().forEach(topic -> topics.computeIfAbsent(topic, any -> new Since()));
        topics.forEach((topic, since) -> since.added = added.getOrDefault(topic, 0L));
      }
      return new Before((table.nextId - from) / table.step, topics);
    }

    private static Map<String, Since> topics(DSLContext dsl, Instant then, Instant minute) {
      QueueStatistics s = QUEUE_STATISTICS;
      Map<String, Since> topics = new HashMap<>();
      // The difference of two estimates says nothing.
      Field<Long> counted = DSL.when(s.DEPTH_ESTIMATED.eq(DSL.inline((byte) 0)), s.DEPTH);
      dsl.select(s.STARTS_AT, s.TOPIC, counted, s.COMPLETED, s.DEAD_LETTERED)
          .from(s)
          .where(s.MINUTES.eq(Period.MINUTE.minutes))
          .and(s.STARTS_AT.ge(then))
          .and(s.STARTS_AT.le(minute))
          .and(s.TOPIC.ne(ALL))
          .forEach(
              row -> {
                Since one = topics.computeIfAbsent(row.value2(), any -> new Since());
                if (row.value1().equals(then)) {
                  one.depth = row.value3();
                } else {
                  one.settled += row.value4() + row.value5();
                }
              });
      return topics;
    }

    /** Null if unknown. */
    @Nullable Long enqueued(String topic, Count depth) {
      Since since = topics.getOrDefault(topic, new Since());
      return !depth.isAll() || since.depth == null
          ? since.added
          : Long.valueOf(Math.max(0, depth.number() - since.depth + since.settled));
    }
  }

  /** One topic since a sample, which has a row for each topic with messages. */
  private static final class Since {

    /** Null if it was not counted. */
    private @Nullable Long depth = 0L;

    private long settled;

    /** New messages that are still in the queue; null if they were not counted. */
    private @Nullable Long added;
  }

  /**
   * The message table.
   *
   * @param nextId the next id, 0 if unknown
   * @param step the step between ids, at least 1
   * @param rows the server's estimate
   */
  private record MessageTable(long nextId, int step, long rows) {

    static MessageTable read(DSLContext dsl, ServerDialect dialect) {
      if (dialect == ServerDialect.MARIADB) {
        return read(dsl);
      }
      // The server would otherwise answer with values that are up to a day old.
      return SessionSettings.with(dsl, "information_schema_stats_expiry", 0, () -> read(dsl));
    }

    private static MessageTable read(DSLContext dsl) {
      return dsl.select(
              DSL.field("COALESCE(AUTO_INCREMENT, 0)", SQLDataType.BIGINT),
              DSL.field("@@auto_increment_increment", SQLDataType.INTEGER),
              DSL.field("COALESCE(TABLE_ROWS, 0)", SQLDataType.BIGINT))
          .from(DSL.table("information_schema.TABLES"))
          .where("TABLE_SCHEMA = DATABASE()")
          .and("TABLE_NAME = {0}", DSL.inline(QUEUE_MESSAGE.getName()))
          .fetchOptional(
              row -> new MessageTable(row.value1(), Math.max(1, row.value2()), row.value3()))
          .orElse(new MessageTable(0, 1, 0));
    }

    /** By topic, the messages with ids from {@code from}; estimated from the newest if many. */
    Map<String, Long> added(DSLContext dsl, long from) {
      long newest = Math.max(from, nextId - (long) MOST_ADDED * step);
      double share = newest == from ? 1 : (nextId - newest) / (double) (nextId - from);
      return dsl.select(QUEUE_MESSAGE.TOPIC, DSL.count())
          .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
          .where(QUEUE_MESSAGE.ID.ge(newest))
          .and(QUEUE_MESSAGE.ID.lt(nextId))
          .groupBy(QUEUE_MESSAGE.TOPIC)
          .fetchMap(row -> row.value1(), row -> Math.round(row.value2() / share));
    }
  }
}
