package io.rowqueue.operate;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.table.Tables.QUEUE_TOPIC;
import static io.rowqueue.table.Tables.QUEUE_WORKER;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.message.Topic;
import io.rowqueue.message.TopicNames;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jooq.Record5;
import org.jooq.TableField;
import org.jspecify.annotations.Nullable;

final class JooqTopics implements Topics {

  private static final int MOST_DAYS = 36_500;
  private static final int MOST_IN_FLIGHT = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;

  private final Transactions transactions;

  JooqTopics(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public List<TopicSetting> list() {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_TOPIC.TOPIC,
                    QUEUE_TOPIC.PAUSED,
                    QUEUE_TOPIC.KEEP_DAYS,
                    QUEUE_TOPIC.MAX_IN_FLIGHT,
                    QUEUE_TOPIC.MAX_PER_SECOND)
                .from(QUEUE_TOPIC)
                .orderBy(QUEUE_TOPIC.TOPIC)
                .fetch(JooqTopics::setting));
  }

  private static TopicSetting setting(Record5<String, Byte, Integer, Integer, Integer> row) {
    return new TopicSetting(
        row.value1(), row.value2() == 1, row.value3(), new TopicLimits(row.value4(), row.value5()));
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
              .where(QUEUE_WORKER.ALIVE.eq((byte) 1))
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
  public void keep(Topic topic, int days) {
    if (days < 1 || days > MOST_DAYS) {
      throw new IllegalArgumentException(
          "copies are kept for 1 to %d days, not %d".formatted(MOST_DAYS, days));
    }
    set(Transition.KEEP, topic, QUEUE_TOPIC.KEEP_DAYS, days);
  }

  @Override
  public void keepNone(Topic topic) {
    set(Transition.KEEP, topic, QUEUE_TOPIC.KEEP_DAYS, null);
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

  private static int within(int value, int most, String what) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "a topic may have 1 to %,d %s, not %d".formatted(most, what, value));
    }
    return value;
  }

  private <T> void set(
      Transition transition, Topic topic, TableField<?, T> field, @Nullable T value) {
    transactions.run(
        transition,
        tx ->
            tx.dsl()
                .insertInto(QUEUE_TOPIC)
                .set(QUEUE_TOPIC.TOPIC, topic.name())
                .set(field, value)
                .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
                .onDuplicateKeyUpdate()
                .set(field, value)
                .set(QUEUE_TOPIC.UPDATED_AT, DatabaseClock.now())
                .execute());
  }
}
