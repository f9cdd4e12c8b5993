package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

public final class JooqTopics implements Topics {

  private static final Set<Field<?>> SETTINGS = values(TopicSettings.NONE).keySet();

  private final Transactions transactions;

  public JooqTopics(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public List<TopicInfo> list() {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_TOPIC.TOPIC,
                    QUEUE_TOPIC.PAUSED,
                    QUEUE_TOPIC.SKIP_DEAD_LETTERS,
                    QUEUE_DEPTH.IS_FULL)
                .select(SETTINGS)
                .from(QUEUE_TOPIC)
                .leftJoin(QUEUE_DEPTH)
                .on(QUEUE_DEPTH.TOPIC.eq(QUEUE_TOPIC.TOPIC))
                .orderBy(QUEUE_TOPIC.TOPIC)
                .fetch(JooqTopics::info));
  }

  private static TopicInfo info(Record row) {
    TopicSettings settings = settings(row);
    Byte full = row.get(QUEUE_DEPTH.IS_FULL);
    return new TopicInfo(
        row.get(QUEUE_TOPIC.TOPIC),
        row.get(QUEUE_TOPIC.PAUSED) == 1,
        settings,
        full != null && full == 1 && !settings.depthLimit().isNone(),
        row.get(QUEUE_TOPIC.SKIP_DEAD_LETTERS) == 1
            ? DeadLetterPolicy.SKIP
            : DeadLetterPolicy.BLOCK);
  }

  private static TopicSettings settings(Record row) {
    Integer seconds = row.get(QUEUE_TOPIC.MAX_AGE_SECONDS);
    return new TopicSettings(
        row.get(QUEUE_TOPIC.RETENTION_DAYS),
        row.get(QUEUE_TOPIC.MAX_IN_FLIGHT),
        row.get(QUEUE_TOPIC.MAX_PER_SECOND),
        row.get(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT),
        row.get(QUEUE_TOPIC.KEY_MAX_PER_SECOND),
        row.get(QUEUE_TOPIC.WEIGHT),
        row.get(QUEUE_TOPIC.MAX_DEPTH),
        seconds == null ? null : Duration.ofSeconds(seconds));
  }

  @Override
  public Set<String> known() {
    return transactions.read(
        dsl -> {
          Set<String> names = JooqTopicNames.ofMessages(dsl, Integer.MAX_VALUE);
          names.addAll(JooqTopicNames.ofDeadLetters(dsl, Integer.MAX_VALUE));
          names.addAll(dsl.select(QUEUE_TOPIC.TOPIC).from(QUEUE_TOPIC).fetch(QUEUE_TOPIC.TOPIC));
          dsl.select(QUEUE_WORKER.TOPICS)
              .from(QUEUE_WORKER)
              .where(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
              .fetch(QUEUE_WORKER.TOPICS)
              .forEach(topics -> names.addAll(TopicNames.split(topics)));
          return names;
        });
  }

  @Override
  public void pause(Topic topic) {
    set(Transition.PAUSE, topic, Map.of(QUEUE_TOPIC.PAUSED, (byte) 1));
  }

  @Override
  public void resume(Topic topic) {
    set(Transition.RESUME, topic, Map.of(QUEUE_TOPIC.PAUSED, (byte) 0));
  }

  @Override
  public TopicSettings settings(Topic topic) {
    return transactions.read(dsl -> settings(dsl, topic));
  }

  private static TopicSettings settings(DSLContext dsl, Topic topic) {
    return dsl.select(SETTINGS)
        .from(QUEUE_TOPIC)
        .where(QUEUE_TOPIC.TOPIC.eq(topic.name()))
        .fetchOptional(JooqTopics::settings)
        .orElse(TopicSettings.NONE);
  }

  @Override
  public void change(Topic topic, UnaryOperator<TopicSettings> change) {
    TopicSettings before = settings(topic);
    Map<Field<?>, @Nullable Object> changed = changed(before, TopicChange.apply(before, change));
    set(transition(changed), topic, changed);
  }

  /**
   * Writes those of {@code after} that differ from {@code seen}, unless the settings have changed
   * since they were {@code seen}.
   *
   * @return false if they have changed; nothing is written then
   * @throws IllegalArgumentException like {@link #change(Topic, UnaryOperator)}
   */
  public boolean change(Topic topic, TopicSettings seen, TopicSettings after) {
    Map<Field<?>, @Nullable Object> changed = changed(seen, TopicChange.apply(seen, any -> after));
    return transactions.run(
        transition(changed),
        tx -> {
          // Locks the row, or creates it: a row that is missing could not be locked.
          int unused = set(tx.dsl(), topic, Map.of());
          boolean same = seen.equals(settings(tx.dsl(), topic));
          return same && set(tx.dsl(), topic, changed) > 0;
        });
  }

  private static Map<Field<?>, @Nullable Object> changed(TopicSettings from, TopicSettings to) {
    Map<Field<?>, @Nullable Object> changed = new LinkedHashMap<>(values(to));
    changed.entrySet().removeAll(values(from).entrySet());
    return changed;
  }

  private static Transition transition(Map<Field<?>, @Nullable Object> changed) {
    boolean copies = changed.keySet().equals(Set.of(QUEUE_TOPIC.RETENTION_DAYS));
    return copies ? Transition.SET_RETENTION : Transition.LIMIT;
  }

  private static Map<Field<?>, @Nullable Object> values(TopicSettings settings) {
    Duration age = settings.maxAge();
    Map<Field<?>, @Nullable Object> values = new LinkedHashMap<>();
    values.put(QUEUE_TOPIC.RETENTION_DAYS, settings.retentionDays());
    values.put(QUEUE_TOPIC.MAX_IN_FLIGHT, settings.maxInFlight());
    values.put(QUEUE_TOPIC.MAX_PER_SECOND, settings.maxPerSecond());
    values.put(QUEUE_TOPIC.KEY_MAX_IN_FLIGHT, settings.keyInFlight());
    values.put(QUEUE_TOPIC.KEY_MAX_PER_SECOND, settings.keyPerSecond());
    values.put(QUEUE_TOPIC.WEIGHT, settings.weight());
    values.put(QUEUE_TOPIC.MAX_DEPTH, settings.maxDepth());
    values.put(QUEUE_TOPIC.MAX_AGE_SECONDS, age == null ? null : (int) age.toSeconds());
    return values;
  }

  @Override
  public void onDeadLetter(Topic topic, DeadLetterPolicy then) {
    byte deadLetter = (byte) (then == DeadLetterPolicy.SKIP ? 1 : 0);
    transactions.run(
        Transition.SET_DEAD_LETTER_POLICY,
        tx -> {
          int rows = set(tx.dsl(), topic, Map.of(QUEUE_TOPIC.SKIP_DEAD_LETTERS, deadLetter));
          if (then == DeadLetterPolicy.SKIP) {
            OrderingGroups.leftAll(tx.dsl(), locked(tx.dsl(), held(tx.dsl(), topic)));
          }
          return rows;
        });
  }

  /**
   * A worker that has not read the new setting yet may block another group; a sweep unblocks it.
   */
  private static Map<Long, OrderingGroup> held(DSLContext dsl, Topic topic) {
    return dsl.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.ORDERING_KEY)
        .from(QUEUE_ORDERING_GROUP)
        .join(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .where(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name()))
        .unionAll(
            DSL.select(
                    QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.ORDERING_KEY)
                .from(QUEUE_ORDERING_GROUP)
                .join(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
                .on(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID))
                .and(QUEUE_ORDERING_MEMBER.RUNNING.eq((byte) 1))
                .join(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_MEMBER.MESSAGE_ID))
                .where(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name()))
                .and(QUEUE_ORDERING_GROUP.HAS_CONCURRENT.eq((byte) 1)))
        .fetchMap(row -> row.value1(), row -> new OrderingGroup(row.value2(), row.value3()));
  }

  /** Locks the remaining dead letters: a redriven message is back in its ordering group. */
  private static Map<Long, OrderingGroup> locked(DSLContext dsl, Map<Long, OrderingGroup> held) {
    Map<Long, OrderingGroup> locked = new TreeMap<>(held);
    locked
        .keySet()
        .retainAll(
            Set.copyOf(
                // The topic so that the table is not scanned: see PrimaryKeyDelete.
                dsl.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC)
                    .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                    .where(QUEUE_DEAD_LETTER.ID.in(held.keySet()))
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .forUpdate()
                    .fetch(QUEUE_DEAD_LETTER.ID)));
    return locked;
  }

  @Override
  public List<OrderingKeyDetails> orderingKeys(Topic topic, boolean held, int limit) {
    return transactions.read(dsl -> JooqOrderingKeyList.list(dsl, topic, held, limit));
  }

  private void set(Transition transition, Topic topic, Map<Field<?>, @Nullable Object> values) {
    transactions.run(transition, tx -> set(tx.dsl(), topic, values));
  }

  private static int set(DSLContext dsl, Topic topic, Map<Field<?>, @Nullable Object> values) {
    return dsl.insertInto(QUEUE_TOPIC)
        .set(QUEUE_TOPIC.TOPIC, topic.name())
        .set(values)
        .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
        .onDuplicateKeyUpdate()
        .set(values)
        .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
        .execute();
  }
}
