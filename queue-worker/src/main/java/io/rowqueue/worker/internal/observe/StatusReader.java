package io.rowqueue.worker.internal.observe;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.min;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/* Snapshot: the transaction runs at REPEATABLE READ, so that all its reads share one snapshot and a message that moves is counted once. Cost: the counts read only the claim index. That index lacks the due time of the oldest available message: for a topic with few messages its rows are read, and for one with many the due-time index is scanned from its oldest end, where a large topic soon appears. */
/** Reads the status of a queue, without locks. Thread-safe. */
public final class StatusReader {

  private static final long FEW = 10_000;

  private final Transactions transactions;

  public StatusReader(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns the current status. Counts every message, which takes about a second per million.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public QueueStatus read() {
    return transactions.readSnapshot(StatusReader::read);
  }

  private static QueueStatus read(DSLContext dsl) {
    Instant now = now(dsl);
    Map<String, Map<Byte, Long>> messages = messages(dsl);
    Map<String, Long> deadLetters = deadLetters(dsl);
    List<WorkerStatus> workers = WorkerReader.read(dsl).stream().map(ListedWorker::status).toList();
    Set<String> names = new TreeSet<>(messages.keySet());
    names.addAll(deadLetters.keySet());
    workers.forEach(worker -> names.addAll(worker.topics()));
    List<TopicStatus> topics = new ArrayList<>();
    for (String name : names) {
      Map<Byte, Long> states = messages.getOrDefault(name, Map.of());
      long available = states.getOrDefault(MessageState.AVAILABLE, 0L);
      topics.add(
          new TopicStatus(
              name,
              available,
              states.getOrDefault(MessageState.SCHEDULED, 0L),
              states.getOrDefault(MessageState.BLOCKED, 0L)
                  + states.getOrDefault(MessageState.ARRIVING, 0L),
              states.getOrDefault(MessageState.CLAIMED, 0L),
              deadLetters.getOrDefault(name, 0L),
              age(oldestDue(dsl, name, available), now)));
    }
    return new QueueStatus(now, topics, workers);
  }

  private static Instant now(DSLContext dsl) {
    return dsl.select(DatabaseClock.now()).fetchSingle().value1();
  }

  private static Map<String, Map<Byte, Long>> messages(DSLContext dsl) {
    Field<Long> rows = count().cast(Long.class);
    return dsl
        .select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.STATE, rows)
        .from(QUEUE_MESSAGE)
        .groupBy(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.STATE)
        .stream()
        .collect(
            Collectors.groupingBy(
                row -> row.get(QUEUE_MESSAGE.TOPIC),
                Collectors.toMap(row -> row.get(QUEUE_MESSAGE.STATE), row -> row.get(rows))));
  }

  private static Map<String, Long> deadLetters(DSLContext dsl) {
    Field<Long> rows = count().cast(Long.class);
    return dsl.select(QUEUE_DEAD_LETTER.TOPIC, rows)
        .from(QUEUE_DEAD_LETTER)
        .groupBy(QUEUE_DEAD_LETTER.TOPIC)
        .fetchMap(QUEUE_DEAD_LETTER.TOPIC, rows);
  }

  private static @Nullable Instant oldestDue(DSLContext dsl, String topic, long available) {
    if (available == 0) {
      return null;
    }
    if (available <= FEW) {
      return dsl.select(min(QUEUE_MESSAGE.DUE_AT))
          .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
          .where(QUEUE_MESSAGE.TOPIC.eq(topic))
          .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
          .fetchSingle()
          .value1();
    }
    return dsl.select(QUEUE_MESSAGE.DUE_AT)
        .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
        .where(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
        .and(QUEUE_MESSAGE.TOPIC.eq(topic))
        .orderBy(QUEUE_MESSAGE.DUE_AT)
        .limit(1)
        .fetchSingle()
        .value1();
  }

  /** Plain SQL can insert an available message with a future due time; its age is zero. */
  private static @Nullable Duration age(@Nullable Instant since, Instant now) {
    if (since == null) {
      return null;
    }
    return since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
  }
}
