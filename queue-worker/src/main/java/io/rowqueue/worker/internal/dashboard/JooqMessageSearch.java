package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEDUPLICATION;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicKeyId;
import io.rowqueue.worker.internal.dashboard.JooqMessageList.Place;
import io.rowqueue.worker.internal.dashboard.JooqMessageList.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.Condition;
import org.jooq.OrderField;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Searches messages: by key with index reads only, and by what no index has for a limited time. Of
 * a topic in claim order, otherwise the newest first. Confined to one thread.
 */
public final class JooqMessageSearch {

  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Transactions transactions;
  private final @Nullable Condition topicAndState;
  private final Condition filter;
  private final SearchStep step;
  private @Nullable Place after;
  private boolean atEnd;

  /**
   * Searches behind {@code after}; null for all.
   *
   * @param topicAndState the beginning of the claim index; null for all messages
   * @param readsPayloads whether {@code filter} reads payloads, so that rows may be large
   */
  public JooqMessageSearch(
      Transactions transactions,
      @Nullable Condition topicAndState,
      Condition filter,
      boolean readsPayloads,
      @Nullable Place after) {
    this.transactions = transactions;
    this.topicAndState = topicAndState;
    this.filter = filter;
    this.step = new SearchStep(readsPayloads);
    this.after = after;
  }

  /** Returns the place up to which rows have been checked; null before the first. */
  @Nullable Place after() {
    return after;
  }

  /** Returns whether there are no rows behind {@link #after}. */
  boolean isAtEnd() {
    return atEnd;
  }

  /** Returns up to {@code most} matches, reading ranges of rows until the time limit. */
  List<Row> find(int most) {
    List<Row> found = new ArrayList<>();
    long start = System.nanoTime();
    while (found.size() < most && !atEnd && System.nanoTime() - start < PATIENCE.toNanos()) {
      Condition scope = after == null ? indexed() : indexed().and(behind(after));
      Place end = end(scope);
      long began = System.nanoTime();
      Condition range = end == null ? scope : scope.and(upTo(end));
      List<Row> rows =
          new JooqMessageList(transactions)
              .list(table(), range.and(filter), most - found.size(), order());
      step.took(System.nanoTime() - began);
      found.addAll(rows);
      boolean full = found.size() == most;
      after = full ? Place.of(rows.get(rows.size() - 1)) : end == null ? after : end;
      atEnd = !full && end == null;
    }
    return found;
  }

  /** The last place of the next range; null if the range is the last. */
  private @Nullable Place end(Condition scope) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
                .from(table())
                .where(scope)
                .orderBy(order())
                .limit(1)
                .offset(step.rows() - 1)
                .fetchOne(row -> new Place(row.value1(), row.value2())));
  }

  private Table<?> table() {
    return QUEUE_MESSAGE.forceIndex(topicAndState == null ? "PRIMARY" : "queue_message_claim");
  }

  private Condition indexed() {
    return topicAndState == null ? DSL.noCondition() : topicAndState;
  }

  private OrderField<?>[] order() {
    return topicAndState == null
        ? new OrderField<?>[] {QUEUE_MESSAGE.ID.desc()}
        : new OrderField<?>[] {QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID};
  }

  private Condition behind(Place place) {
    return topicAndState == null ? QUEUE_MESSAGE.ID.lt(place.id()) : JooqMessageList.behind(place);
  }

  /** The first condition is a range of the index. */
  private Condition upTo(Place place) {
    return topicAndState == null
        ? QUEUE_MESSAGE.ID.ge(place.id())
        : QUEUE_MESSAGE.PRIORITY.le(place.priority()).andNot(behind(place));
  }

  /**
   * Returns the ids of up to {@code most} messages with this ordering key in one of the topics. A
   * key whose last message was settled keeps its row for a while, so the ids may be stale.
   */
  Set<Long> ofOrderingKey(Collection<String> topics, String key, int most) {
    List<byte[]> groups = ids(topics, key);
    return transactions.read(
        dsl -> {
          Set<Long> found =
              new TreeSet<>(
                  dsl.select(QUEUE_ORDERING_MEMBER.MESSAGE_ID)
                      .from(QUEUE_ORDERING_MEMBER)
                      .where(QUEUE_ORDERING_MEMBER.GROUP_ID.in(groups))
                      .limit(most)
                      .fetch(QUEUE_ORDERING_MEMBER.MESSAGE_ID));
          found.addAll(
              dsl.select(QUEUE_ORDERING_GROUP.MESSAGE_ID)
                  .from(QUEUE_ORDERING_GROUP)
                  .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(groups))
                  .and(QUEUE_ORDERING_GROUP.MESSAGE_ID.isNotNull())
                  .fetch(QUEUE_ORDERING_GROUP.MESSAGE_ID));
          return found;
        });
  }

  /** Returns the ids of the last messages with this deduplication key; they may be settled. */
  public Set<Long> ofDeduplicationKey(Collection<String> topics, String key) {
    return transactions.read(
        dsl ->
            new TreeSet<>(
                dsl.select(QUEUE_DEDUPLICATION.MESSAGE_ID)
                    .from(QUEUE_DEDUPLICATION)
                    .where(QUEUE_DEDUPLICATION.DEDUP_ID.in(ids(topics, key)))
                    .and(QUEUE_DEDUPLICATION.MESSAGE_ID.isNotNull())
                    .fetch(QUEUE_DEDUPLICATION.MESSAGE_ID)));
  }

  private static List<byte[]> ids(Collection<String> topics, String key) {
    return topics.stream().map(topic -> TopicKeyId.of(topic, key).bytes()).toList();
  }
}
