package io.rowqueue.internal.depth;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.Record1;
import org.jooq.Result;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Replaces counts that ended early by estimates. The optimizer estimates each range of the index by
 * a few page reads, whatever it holds; but it doubles large ranges and cuts off others. So only the
 * proportions are taken from it, and what the engine says the table holds beyond the exact counts
 * is divided accordingly. Thus all estimates add up to the size of the table.
 */
public final class JooqEstimates {

  /** The number of ranges that one statement explains. */
  private static final int AT_ONCE = 200;

  private final Transactions transactions;
  private final List<Select<Record1<Long>>> ranges = new ArrayList<>();

  private JooqEstimates(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns {@code counts} with an estimate for each count that is not exact.
   *
   * @param size null if unknown; then the optimizer's estimates are taken as they are
   */
  public static Map<String, TopicCounts> complete(
      Transactions transactions, Map<String, TopicCounts> counts, @Nullable JooqTableSize size) {
    return TopicCounts.sum(counts).isExact()
        ? counts
        : new JooqEstimates(transactions).complete(counts, size);
  }

  private Map<String, TopicCounts> complete(
      Map<String, TopicCounts> counts, @Nullable JooqTableSize size) {
    Table messages = new Table(size == null ? null : size.rows());
    Table deadLetters = new Table(size == null ? null : size.deadLetters());
    Map<String, Ranges> ranges = new TreeMap<>();
    counts.forEach(
        (topic, one) ->
            ranges.put(
                topic,
                new Ranges(
                    range(messages, topic, one.available(), MessageState.AVAILABLE),
                    range(messages, topic, one.scheduled(), MessageState.SCHEDULED),
                    range(messages, topic, one.blocked(), MessageState.BLOCKED),
                    range(messages, topic, one.inFlight(), MessageState.CLAIMED),
                    deadLetters(deadLetters, topic, one.deadLetters()))));
    List<Long> explained = explain();
    Map<String, TopicCounts> complete = new TreeMap<>();
    messages.add(explained);
    deadLetters.add(explained);
    counts.forEach(
        (topic, one) -> {
          Ranges of = ranges.getOrDefault(topic, Ranges.NONE);
          complete.put(
              topic,
              new TopicCounts(
                  messages.count(one.available(), of.available, explained),
                  messages.count(one.scheduled(), of.scheduled, explained),
                  messages.count(one.blocked(), of.blocked, explained),
                  messages.count(one.inFlight(), of.inFlight, explained),
                  deadLetters.count(one.deadLetters(), of.deadLetters, explained),
                  one.oldest()));
        });
    return complete;
  }

  /** The numbers of a topic's ranges; null for exact counts. */
  private record Ranges(
      @Nullable Integer available,
      @Nullable Integer scheduled,
      @Nullable Integer blocked,
      @Nullable Integer inFlight,
      @Nullable Integer deadLetters) {

    static final Ranges NONE = new Ranges(null, null, null, null, null);
  }

  private @Nullable Integer range(Table table, String topic, Count count, byte state) {
    return add(
        table,
        count,
        DSL.select(QUEUE_MESSAGE.ID)
            .from(QUEUE_MESSAGE.useIndex("queue_message_claim"))
            .where(QUEUE_MESSAGE.TOPIC.eq(topic))
            .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state))));
  }

  private @Nullable Integer deadLetters(Table table, String topic, Count count) {
    return add(
        table,
        count,
        DSL.select(QUEUE_DEAD_LETTER.ID)
            .from(QUEUE_DEAD_LETTER.useIndex("queue_dead_letter_by_topic"))
            .where(QUEUE_DEAD_LETTER.TOPIC.eq(topic)));
  }

  private @Nullable Integer add(Table table, Count count, Select<Record1<Long>> range) {
    if (count.isAll()) {
      table.exact += count.number();
      return null;
    }
    ranges.add(range);
    table.ranges.add(ranges.size() - 1);
    return ranges.size() - 1;
  }

  /**
   * Returns the optimizer's estimate of each range, at least 1. A forced index would make MySQL
   * take the mean of all ranges.
   */
  private List<Long> explain() {
    List<Long> estimates = new ArrayList<>();
    for (int from = 0; from < ranges.size(); from += AT_ONCE) {
      List<Select<Record1<Long>>> some =
          ranges.subList(from, Math.min(ranges.size(), from + AT_ONCE));
      Select<Record1<Long>> all = some.get(0);
      for (Select<Record1<Long>> range : some.subList(1, some.size())) {
        all = all.unionAll(range);
      }
      Select<Record1<Long>> query = all;
      Result<?> plan = transactions.read(dsl -> dsl.fetch("EXPLAIN FORMAT=TRADITIONAL {0}", query));
      for (int i = 0; i < some.size(); i++) {
        Long rows = i < plan.size() ? plan.get(i).get("rows", Long.class) : null;
        estimates.add(rows == null ? 1 : Math.max(1, rows));
      }
    }
    return estimates;
  }

  /** One table, and how its rows are divided. Confined to one thread. */
  private static final class Table {

    private final @Nullable Long rows;
    private final List<Integer> ranges = new ArrayList<>();
    private long exact;
    private double scale = 1;

    Table(@Nullable Long rows) {
      this.rows = rows;
    }

    void add(List<Long> explained) {
      double sum = ranges.stream().mapToDouble(explained::get).sum();
      if (rows != null && sum > 0) {
        scale = Math.max(0, rows - exact) / sum;
      }
    }

    /** A count that ended early is never less than it found. */
    Count count(Count found, @Nullable Integer range, List<Long> explained) {
      return range == null
          ? found
          : new Count(Math.max(found.number(), Math.round(explained.get(range) * scale)), false);
    }
  }
}
