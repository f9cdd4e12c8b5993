package io.rowqueue.worker.internal.admin;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Backlog;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerTopics;
import java.time.Duration;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The depth of this worker's topics, read on demand and cached for five seconds, or for twenty
 * times as long as the reading took, so that scrapes cannot overload the database. Takes no locks,
 * and stops counting at a limit. Thread-safe.
 */
@Singleton
final class QueueReading {

  /** About 25 ms of index reads for each topic of that size. */
  static final int COUNTED = 100_000;

  private static final Logger LOG = LoggerFactory.getLogger(QueueReading.class);

  private static final Duration KEPT = Duration.ofSeconds(5);

  private static final int PARTS = 20;

  private final Provider<Transactions> transactions;
  private final Provider<ClaimStrategy> strategy;
  private final Provider<WorkerTopics> topics;
  private final Map<Topic, OfTopic> found = new ConcurrentHashMap<>();
  private volatile double deadLetters = Double.NaN;
  private volatile boolean answered;
  private boolean refused;
  private long nextNanos = System.nanoTime();

  @Inject
  QueueReading(
      Provider<Transactions> transactions,
      Provider<ClaimStrategy> strategy,
      Provider<WorkerTopics> topics) {
    this.transactions = transactions;
    this.strategy = strategy;
    this.topics = topics;
  }

  /** Reads again if the cached reading has expired. */
  synchronized void refresh() {
    long start = System.nanoTime();
    if (start - nextNanos < 0) {
      return;
    }
    try {
      read();
      answered = true;
    } catch (QueueException e) {
      if (answered) {
        LOG.warn("depth metrics are missing until the database answers: {}", FailureText.of(e));
      }
      answered = false;
      deadLetters = Double.NaN;
      found.clear();
    }
    long now = System.nanoTime();
    nextNanos = now + Math.max(KEPT.toNanos(), PARTS * (now - start));
  }

  private void read() {
    Backlog backlog = new Backlog(transactions.get());
    for (Topic topic : topics.get().all()) {
      NavigableMap<Byte, Long> marks = strategy.get().marks(topic);
      found.put(
          topic,
          new OfTopic(
              backlog.depth(topic, marks, COUNTED),
              backlog.oldest(topic, marks),
              deadLettersOf(topic)));
    }
    deadLetters = deadLetters(QUEUE_DEAD_LETTER, DSL.noCondition());
  }

  /**
   * An account of an earlier version lacks the privilege to count them by topic; all other figures
   * are available.
   */
  private double deadLettersOf(Topic topic) {
    try {
      return deadLetters(
          QUEUE_DEAD_LETTER.forceIndex("queue_dead_letter_by_topic"),
          QUEUE_DEAD_LETTER.TOPIC.eq(topic.name()));
    } catch (DatabaseUnavailableException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      if (!refused) {
        LOG.warn(
            "dead letters are not counted by topic, since the account lacks a privilege: {}",
            FailureText.of(e));
      }
      refused = true;
      return Double.NaN;
    }
  }

  /** A worker's account sees nothing but their ids and topics. */
  private long deadLetters(Table<?> table, Condition condition) {
    return transactions
        .get()
        .read(
            dsl ->
                dsl.selectCount()
                    .from(
                        dsl.select(QUEUE_DEAD_LETTER.ID)
                            .from(table)
                            .where(condition)
                            .limit(COUNTED)
                            .asTable("dead"))
                    .fetchSingle()
                    .value1()
                    .longValue());
  }

  double depth(Topic topic) {
    OfTopic known = found.get(topic);
    return known == null ? Double.NaN : known.depth;
  }

  double oldestSeconds(Topic topic) {
    OfTopic known = found.get(topic);
    return known == null ? Double.NaN : known.oldest.toMillis() / 1_000.0;
  }

  double deadLetters(Topic topic) {
    OfTopic known = found.get(topic);
    return known == null ? Double.NaN : known.deadLetters;
  }

  double deadLetters() {
    return deadLetters;
  }

  /** Returns whether the last reading succeeded. */
  boolean isAnswered() {
    return answered;
  }

  private record OfTopic(long depth, Duration oldest, double deadLetters) {}
}
