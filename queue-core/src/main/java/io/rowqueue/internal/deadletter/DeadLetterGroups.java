package io.rowqueue.internal.deadletter;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record4;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters grouped by topic and error. Reads a bounded number of index entries, however many
 * dead letters there are: some per group to find the groups, and up to 80,000 in all to count them.
 * Thread-safe.
 */
public final class DeadLetterGroups {

  /** The most groups of a result. */
  public static final int MOST_GROUPS = 50;

  /** The most groups that are found, about 40 ms of index reads. */
  public static final int MOST_FOUND = 1_000;

  /** The highest count of a group. */
  private static final int MOST_COUNTED = 10_000;

  /** The index entries that one result counts: about 60 ms. */
  private static final int ENTRIES = 80_000;

  private static final Table<?> BY_ERROR =
      QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_error");

  private static final Field<Instant> FIRST = DSL.min(QUEUE_DEAD_LETTER.DEAD_AT).as("first_at");
  private static final Field<Instant> LAST = DSL.max(QUEUE_DEAD_LETTER.DEAD_AT).as("last_at");

  private static final Field<Long> NEWEST =
      DSL.field(
          "CAST(RIGHT(MAX(CONCAT({0}, LPAD({1}, 20, '0'))), 20) AS SIGNED)",
          Long.class, QUEUE_DEAD_LETTER.DEAD_AT, QUEUE_DEAD_LETTER.ID);

  private final Transactions transactions;

  public DeadLetterGroups(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * A group.
   *
   * @param fingerprint with the topic, identifies it
   * @param error the exception's class and the first line of its message, without the values that
   *     vary
   * @param count how many, counted up to a limit
   * @param first when the first of them was dead-lettered, whatever the filter's times are
   * @param last when the last of them was dead-lettered, whatever the filter's times are
   * @param newest the last of them
   */
  public record Group(
      String topic,
      long fingerprint,
      String error,
      Count count,
      Instant first,
      Instant last,
      MessageId newest) {}

  /**
   * The groups.
   *
   * @param groups the {@value #MOST_GROUPS} that had a dead letter most recently, the largest first
   * @param found how many there are, counted up to {@value #MOST_FOUND}
   */
  public record Groups(List<Group> groups, Count found) {

    /** The same in another order. */
    public Groups by(Order order) {
      return new Groups(groups.stream().sorted(order.comparator().reversed()).toList(), found);
    }
  }

  /** An order of groups, from the largest value to the smallest. */
  public enum Order {
    /** By the number of dead letters. */
    LARGEST,
    /** By the last dead letter. */
    LAST_SEEN,
    /** By the first dead letter. */
    FIRST_SEEN;

    private Comparator<Group> comparator() {
      Comparator<Group> last = Comparator.comparing(Group::last);
      return switch (this) {
        case LARGEST ->
            Comparator.<Group>comparingLong(group -> group.count().number()).thenComparing(last);
        case LAST_SEEN -> last;
        case FIRST_SEEN -> Comparator.comparing(Group::first).thenComparing(last);
      };
    }

    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The order with that label; the first for any other text. */
    public static Order of(String label) {
      return Arrays.stream(values())
          .filter(one -> one.label().equals(label))
          .findFirst()
          .orElse(LARGEST);
    }
  }

  /** A group whose dead letters have not been read. */
  private record Key(String topic, long fingerprint, Instant first, Instant last) {

    Condition is() {
      return QUEUE_DEAD_LETTER.TOPIC.eq(topic).and(QUEUE_DEAD_LETTER.FINGERPRINT.eq(fingerprint));
    }
  }

  /**
   * The groups of dead letters that match {@code filter}, whose reason is ignored.
   *
   * @throws io.rowqueue.QueueException if the database fails
   */
  public Groups read(DeadLetterFilter filter) {
    List<Key> keys = keys(filter.topic() == null ? null : filter.topic().name());
    Count found = Count.upTo(MOST_FOUND, keys.size());
    List<Key> recent =
        keys.stream()
            .filter(key -> filter.since() == null || !key.last().isBefore(filter.since()))
            .filter(key -> filter.until() == null || key.first().isBefore(filter.until()))
            .sorted(Comparator.comparing(Key::last).reversed())
            .limit(MOST_GROUPS)
            .toList();
    int most = Math.min(MOST_COUNTED, ENTRIES / Math.max(1, recent.size()));
    return new Groups(groups(recent, JooqDeadLetters.times(filter), most), found).by(Order.LARGEST);
  }

  /**
   * The {@code most} groups of a topic that had a dead letter most recently, the latest first, each
   * counted up to {@code mostCounted}.
   *
   * @throws io.rowqueue.QueueException if the database fails
   */
  public List<Group> latest(String topic, int most, int mostCounted) {
    List<Key> recent =
        keys(topic).stream()
            .sorted(Comparator.comparing(Key::last).reversed())
            .limit(most)
            .toList();
    return groups(recent, DSL.noCondition(), mostCounted).stream()
        .sorted(Comparator.comparing(Group::last).reversed())
        .toList();
  }

  /**
   * The groups of dead letters that match {@code filter} and {@code search}, with the exact counts
   * and times of those. Reads every dead letter of the filter's topic and times if {@link
   * #read(DeadLetterFilter)} cannot answer.
   *
   * @throws io.rowqueue.QueueException if the database fails
   */
  public Groups read(DeadLetterFilter filter, DeadLetterSearch search) {
    if (filter.reason() == null && search.equals(DeadLetterSearch.ANY)) {
      return read(filter);
    }
    List<Group> found =
        transactions.read(
            dsl ->
                dsl.select(
                        QUEUE_DEAD_LETTER.TOPIC,
                        QUEUE_DEAD_LETTER.FINGERPRINT,
                        DSL.count(),
                        FIRST,
                        LAST,
                        NEWEST)
                    .from(QUEUE_DEAD_LETTER)
                    .where(JooqDeadLetters.matches(filter))
                    .and(search.matches())
                    .groupBy(QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.FINGERPRINT)
                    .orderBy(LAST.desc())
                    .limit(MOST_FOUND)
                    .fetch(
                        row ->
                            new Group(
                                row.value1(),
                                row.value2(),
                                "",
                                new Count(row.value3(), true),
                                row.value4(),
                                row.value5(),
                                new MessageId(row.value6()))));
    return withErrors(found, Count.upTo(MOST_FOUND, found.size())).by(Order.LARGEST);
  }

  /** The first {@value #MOST_GROUPS} of groups without their errors, with them. */
  public Groups withErrors(List<Group> groups, Count found) {
    List<Group> shown = groups.stream().limit(MOST_GROUPS).toList();
    Map<MessageId, String> errors =
        new JooqDeadLetters(transactions)
            .findAll(shown.stream().map(Group::newest).toList()).stream()
                .collect(
                    Collectors.toMap(
                        DeadLetter::id, one -> ErrorFingerprint.normalized(one.detail())));
    return new Groups(
        shown.stream()
            .map(
                one ->
                    new Group(
                        one.topic(),
                        one.fingerprint(),
                        errors.getOrDefault(one.newest(), ""),
                        one.count(),
                        one.first(),
                        one.last(),
                        one.newest()))
            .toList(),
        found);
  }

  /** A loose index scan: both servers read two entries of each group. */
  private List<Key> keys(@Nullable String topic) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.FINGERPRINT, FIRST, LAST)
                .from(BY_ERROR)
                .where(topic == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.TOPIC.eq(topic))
                .groupBy(QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.FINGERPRINT)
                .limit(MOST_FOUND)
                .fetch(row -> new Key(row.value1(), row.value2(), row.value3(), row.value4())));
  }

  private List<Group> groups(List<Key> keys, Condition times, int most) {
    if (keys.isEmpty()) {
      return List.of();
    }
    Select<Record4<Integer, Integer, Long, String>> all =
        part(0, keys.get(0).is().and(times), most);
    for (int number = 1; number < keys.size(); number++) {
      all = all.unionAll(part(number, keys.get(number).is().and(times), most));
    }
    Select<Record4<Integer, Integer, Long, String>> statement = all;
    return transactions.read(dsl -> dsl.fetch(statement)).stream()
        .map(
            row -> {
              Key key = keys.get(row.value1());
              return new Group(
                  key.topic(),
                  key.fingerprint(),
                  ErrorFingerprint.normalized(row.value4()),
                  Count.upTo(most, row.value2()),
                  key.first(),
                  key.last(),
                  new MessageId(row.value3()));
            })
        .toList();
  }

  /** The count and the newest of one group; no row if it has none within the times. */
  private static Select<Record4<Integer, Integer, Long, String>> part(
      int number, Condition which, int most) {
    Table<?> few =
        DSL.select(QUEUE_DEAD_LETTER.ID)
            .from(BY_ERROR)
            .where(which)
            .limit(DSL.inline(most))
            .asTable("few");
    Table<?> newest =
        DSL.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.DETAIL)
            .from(BY_ERROR)
            .where(which)
            .orderBy(QUEUE_DEAD_LETTER.DEAD_AT.desc(), QUEUE_DEAD_LETTER.ID.desc())
            .limit(DSL.inline(1))
            .asTable("newest");
    return DSL.select(
            DSL.inline(number),
            DSL.field(DSL.selectCount().from(few)),
            newest.field(QUEUE_DEAD_LETTER.ID),
            newest.field(QUEUE_DEAD_LETTER.DETAIL))
        .from(newest);
  }
}
