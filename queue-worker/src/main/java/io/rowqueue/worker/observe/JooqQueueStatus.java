package io.rowqueue.worker.observe;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.table.Tables.QUEUE_WORKER;

import io.rowqueue.claim.MessageState;
import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transactions;
import io.rowqueue.worker.observe.QueueStatus.TopicStatus;
import io.rowqueue.worker.observe.QueueStatus.WorkerStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record4;
import org.jooq.impl.DSL;

final class JooqQueueStatus {

  private final Transactions transactions;

  JooqQueueStatus(Transactions transactions) {
    this.transactions = transactions;
  }

  QueueStatus read() {
    return transactions.read(dsl -> new QueueStatus(topics(dsl), workers(dsl)));
  }

  private static List<TopicStatus> topics(DSLContext dsl) {
    Map<String, TopicStatus> topics = new TreeMap<>();
    Field<Long> age = seconds(DSL.min(QUEUE_MESSAGE.DUE_AT), DatabaseClock.now());
    dsl.select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.STATE, DSL.count(), age)
        .from(QUEUE_MESSAGE)
        .groupBy(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.STATE)
        .forEach(row -> topics.merge(row.value1(), ofState(row), JooqQueueStatus::add));
    dsl.select(QUEUE_DEAD_LETTER.TOPIC, DSL.count())
        .from(QUEUE_DEAD_LETTER)
        .groupBy(QUEUE_DEAD_LETTER.TOPIC)
        .forEach(
            row ->
                topics.merge(
                    row.value1(),
                    new TopicStatus(row.value1(), 0, 0, 0, row.value2(), 0),
                    JooqQueueStatus::add));
    return List.copyOf(topics.values());
  }

  private static TopicStatus ofState(Record4<String, Byte, Integer, Long> row) {
    int count = row.value3();
    return switch (row.value2()) {
      case MessageState.AVAILABLE ->
          new TopicStatus(row.value1(), count, 0, 0, 0, Math.max(0, row.value4()));
      case MessageState.CLAIMED -> new TopicStatus(row.value1(), 0, 0, count, 0, 0);
      default -> new TopicStatus(row.value1(), 0, count, 0, 0, 0);
    };
  }

  private static TopicStatus add(TopicStatus one, TopicStatus other) {
    return new TopicStatus(
        one.topic(),
        one.available() + other.available(),
        one.scheduled() + other.scheduled(),
        one.inFlight() + other.inFlight(),
        one.dead() + other.dead(),
        Math.max(one.oldestSeconds(), other.oldestSeconds()));
  }

  private static List<WorkerStatus> workers(DSLContext dsl) {
    Field<Long> lease = seconds(DatabaseClock.now(), QUEUE_WORKER.LEASE_UNTIL);
    return dsl.select(
            QUEUE_WORKER.LOCK_ID, QUEUE_WORKER.HOST, QUEUE_WORKER.PID, lease, QUEUE_WORKER.TOPICS)
        .from(QUEUE_WORKER)
        .where(QUEUE_WORKER.ALIVE.eq((byte) 1))
        .orderBy(QUEUE_WORKER.LOCK_ID)
        .fetch(
            row ->
                new WorkerStatus(
                    row.value1(),
                    row.value2(),
                    row.value3(),
                    row.value4(),
                    List.of(row.value5().split(","))));
  }

  private static Field<Long> seconds(Field<Instant> from, Field<Instant> to) {
    return DSL.field("TIMESTAMPDIFF(SECOND, {0}, {1})", Long.class, from, to);
  }
}
