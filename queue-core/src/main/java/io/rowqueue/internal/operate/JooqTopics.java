package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_RUNNING;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.KeyLimits;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.TopicLimits;
import io.rowqueue.operate.TopicSetting;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jooq.Record11;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

public final class JooqTopics implements Topics {

  private static final int MOST_DAYS = 36_500;
  private static final int MOST_IN_FLIGHT = 1_000;
  private static final int MOST_OF_A_KEY = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final Duration LONGEST_AGE = Duration.ofDays(3_653);

  private final Transactions transactions;

  public JooqTopics(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public List<TopicSetting> list() {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_TOPIC.TOPIC,
                    QUEUE_TOPIC.PAUSED,
                    QUEUE_TOPIC.RETENTION_DAYS,
                    QUEUE_TOPIC.MAX_IN_FLIGHT,
                    QUEUE_TOPIC.MAX_PER_SECOND,
                    QUEUE_TOPIC.MAX_DEPTH,
                    QUEUE_TOPIC.MAX_AGE_SECONDS,
                    QUEUE_DEPTH.IS_FULL,
                    QUEUE_TOPIC.SKIP_DEAD_LETTERS,
                    QUEUE_TOPIC.KEY_MAX_IN_FLIGHT,
                    QUEUE_TOPIC.KEY_MAX_PER_SECOND)
                .from(QUEUE_TOPIC)
                .leftJoin(QUEUE_DEPTH)
                .on(QUEUE_DEPTH.TOPIC.eq(QUEUE_TOPIC.TOPIC))
                .orderBy(QUEUE_TOPIC.TOPIC)
                .fetch(JooqTopics::setting));
  }

  private static TopicSetting setting(
      Record11<String, Byte, Integer, Integer, Integer, Long, Integer, Byte, Byte, Integer, Integer>
          row) {
    Integer seconds = row.value7();
    DepthLimit depth =
        new DepthLimit(row.value6(), seconds == null ? null : Duration.ofSeconds(seconds));
    boolean full = row.value8() != null && row.value8() == 1;
    return new TopicSetting(
        row.value1(),
        row.value2() == 1,
        row.value3(),
        new TopicLimits(row.value4(), row.value5()),
        new KeyLimits(row.value10(), row.value11()),
        depth,
        full && !depth.isNone(),
        row.value9() == 1 ? DeadLetterPolicy.SKIP : DeadLetterPolicy.BLOCK);
  }

  /** Each of the first two is answered from an index that begins with the topic. */
  @Override
  public Set<String> known() {
    return transactions.read(
        dsl -> {
          Set<String> names = new TreeSet<>(names(dsl, QUEUE_MESSAGE.TOPIC));
          names.addAll(names(dsl, QUEUE_DEAD_LETTER.TOPIC));
          names.addAll(names(dsl, QUEUE_TOPIC.TOPIC));
          dsl.select(QUEUE_WORKER.TOPICS)
              .from(QUEUE_WORKER)
              .where(QUEUE_WORKER.IS_ALIVE.eq((byte) 1))
              .fetch(QUEUE_WORKER.TOPICS)
              .forEach(topics -> names.addAll(TopicNames.split(topics)));
          return names;
        });
  }

  private static List<String> names(DSLContext dsl, TableField<?, String> topic) {
    return dsl.selectDistinct(topic).from(topic.getTable()).fetch(topic);
  }

  @Override
  public void pause(Topic topic) {
    set(Transition.PAUSE, topic, QUEUE_TOPIC.PAUSED, (byte) 1);
  }

  @Override
  public void resume(Topic topic) {
    set(Transition.RESUME, topic, QUEUE_TOPIC.PAUSED, (byte) 0);
  }

  @Override
  public void retain(Topic topic, int days) {
    if (days < 1 || days > MOST_DAYS) {
      throw new IllegalArgumentException(
          "copies are kept for 1 to %d days, not %d".formatted(MOST_DAYS, days));
    }
    set(Transition.SET_RETENTION, topic, QUEUE_TOPIC.RETENTION_DAYS, days);
  }

  @Override
  public void noRetention(Topic topic) {
    set(Transition.SET_RETENTION, topic, QUEUE_TOPIC.RETENTION_DAYS, null);
  }

  @Override
  public void limitInFlight(Topic topic, int most) {
    set(
        Transition.LIMIT,
        topic,
        QUEUE_TOPIC.MAX_IN_FLIGHT,
        within(most, MOST_IN_FLIGHT, "handlings at once"));
  }

  @Override
  public void limitInFlightNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_IN_FLIGHT, null);
  }

  @Override
  public void limitPerSecond(Topic topic, int most) {
    set(
        Transition.LIMIT,
        topic,
        QUEUE_TOPIC.MAX_PER_SECOND,
        within(most, MOST_PER_SECOND, "messages a second"));
  }

  @Override
  public void limitPerSecondNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_PER_SECOND, null);
  }

  @Override
  public void limitKeyInFlight(Topic topic, int most) {
    set(
        Transition.LIMIT,
        topic,
        QUEUE_TOPIC.KEY_MAX_IN_FLIGHT,
        within(most, MOST_OF_A_KEY, "messages of a key at once"));
  }

  @Override
  public void limitKeyInFlightNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.KEY_MAX_IN_FLIGHT, null);
  }

  @Override
  public void limitKeyPerSecond(Topic topic, int most) {
    set(
        Transition.LIMIT,
        topic,
        QUEUE_TOPIC.KEY_MAX_PER_SECOND,
        within(most, MOST_PER_SECOND, "messages of a key a second"));
  }

  @Override
  public void limitKeyPerSecondNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.KEY_MAX_PER_SECOND, null);
  }

  @Override
  public void limitDepth(Topic topic, long most) {
    if (most < 1) {
      throw new IllegalArgumentException("at least 1 message may wait, not " + most);
    }
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_DEPTH, most);
  }

  @Override
  public void limitDepthNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_DEPTH, null);
  }

  @Override
  public void limitAge(Topic topic, Duration longest) {
    if (longest.toSeconds() < 1 || longest.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "the oldest may wait for 1 second to ten years, not " + Humanize.duration(longest));
    }
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_AGE_SECONDS, (int) longest.toSeconds());
  }

  @Override
  public void limitAgeNone(Topic topic) {
    set(Transition.LIMIT, topic, QUEUE_TOPIC.MAX_AGE_SECONDS, null);
  }

  @Override
  public void onDeadLetter(Topic topic, DeadLetterPolicy then) {
    byte deadLetter = (byte) (then == DeadLetterPolicy.SKIP ? 1 : 0);
    transactions.run(
        Transition.SET_DEAD_LETTER_POLICY,
        tx -> {
          int rows = set(tx.dsl(), topic, QUEUE_TOPIC.SKIP_DEAD_LETTERS, deadLetter);
          if (then == DeadLetterPolicy.SKIP) {
            OrderingGroups.leftAll(tx.dsl(), locked(tx.dsl(), held(tx.dsl(), topic)));
          }
          return rows;
        });
  }

  /** A worker that has not read the new setting yet may add one: a sweep frees it. */
  private static Map<Long, OrderingGroup> held(DSLContext dsl, Topic topic) {
    return dsl.select(QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.ORDERING_KEY)
        .from(QUEUE_ORDERING_GROUP)
        .join(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .where(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name()))
        .unionAll(
            DSL.select(
                    QUEUE_DEAD_LETTER.ID, QUEUE_DEAD_LETTER.TOPIC, QUEUE_DEAD_LETTER.ORDERING_KEY)
                .from(QUEUE_ORDERING_RUNNING)
                .join(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_RUNNING.MESSAGE_ID))
                .where(QUEUE_DEAD_LETTER.TOPIC.eq(topic.name())))
        .fetchMap(row -> row.value1(), row -> new OrderingGroup(row.value2(), row.value3()));
  }

  /** Those that are dead letters still: a redriven one has its place in the line again. */
  private static Map<Long, OrderingGroup> locked(DSLContext dsl, Map<Long, OrderingGroup> held) {
    Map<Long, OrderingGroup> locked = new TreeMap<>(held);
    locked
        .keySet()
        .retainAll(
            Set.copyOf(
                dsl.select(QUEUE_DEAD_LETTER.ID)
                    .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                    .where(QUEUE_DEAD_LETTER.ID.in(held.keySet()))
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .forUpdate()
                    .fetch(QUEUE_DEAD_LETTER.ID)));
    return locked;
  }

  @Override
  public List<OrderingKeyDetails> lines(Topic topic, boolean held, int limit) {
    return transactions.read(dsl -> JooqOrderingKeyList.list(dsl, topic, held, limit));
  }

  private static int within(int value, int most, String what) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "a topic may have 1 to %,d %s, not %d".formatted(most, what, value));
    }
    return value;
  }

  private <T> void set(
      Transition transition, Topic topic, TableField<?, T> field, @Nullable T value) {
    transactions.run(transition, tx -> set(tx.dsl(), topic, field, value));
  }

  private static <T> int set(
      DSLContext dsl, Topic topic, TableField<?, T> field, @Nullable T value) {
    return dsl.insertInto(QUEUE_TOPIC)
        .set(QUEUE_TOPIC.TOPIC, topic.name())
        .set(field, value)
        .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
        .onDuplicateKeyUpdate()
        .set(field, value)
        .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
        .execute();
  }
}
