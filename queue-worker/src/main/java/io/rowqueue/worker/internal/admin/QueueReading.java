package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.Figure;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Period;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.operate.JooqTopicNames;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerTopics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The depth of this worker's topics, read on demand and cached for five seconds, or for twenty
 * times as long as the reading took, so that scrapes cannot overload the database. Takes no locks,
 * and stops counting at a limit. Thread-safe.
 */
@Singleton
final class QueueReading {

  private static final Set<Figure> OF_TOPIC =
      Set.of(Figure.AVAILABLE, Figure.BLOCKED, Figure.DEAD_LETTERS, Figure.OLDEST);

  private static final Logger LOG = LoggerFactory.getLogger(QueueReading.class);

  private static final Duration KEPT = Duration.ofSeconds(5);

  private static final int PARTS = 20;

  private final Provider<Transactions> transactions;
  private final Provider<ClaimStrategy> strategy;
  private final Provider<WorkerTopics> topics;
  private final Provider<Statistics> statistics;
  private volatile Map<String, TopicCounts> found = Map.of();
  private volatile Map<String, Double> enqueued = Map.of();
  private volatile double deadLetters = Double.NaN;
  private volatile boolean answered;
  private long nextNanos = System.nanoTime();

  @Inject
  QueueReading(
      Provider<Transactions> transactions,
      Provider<ClaimStrategy> strategy,
      Provider<WorkerTopics> topics,
      Provider<Statistics> statistics) {
    this.statistics = statistics;
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
        LOG.warn("depth metrics are missing while this fails: {}", FailureText.of(e));
      }
      answered = false;
      deadLetters = Double.NaN;
      found = Map.of();
      enqueued = Map.of();
    }
    long now = System.nanoTime();
    nextNanos = now + Math.max(KEPT.toNanos(), PARTS * (now - start));
  }

  private void read() {
    List<String> names = topics.get().all().stream().map(Topic::name).toList();
    ClaimStrategy claims = strategy.get();
    QueueCounts.Query query =
        new QueueCounts.Query(OF_TOPIC, name -> claims.marks(new Topic(name)), QueueCounts.MOST);
    Transactions database = transactions.get();
    found = database.read(dsl -> QueueCounts.read(dsl, names, query));
    deadLetters = database.read(QueueReading::allDeadLetters);
    enqueued = enqueuedPerSecond(statistics.get());
  }

  /** Of the last minute that is complete, where it is known. */
  private static Map<String, Double> enqueuedPerSecond(Statistics statistics) {
    Instant last = Statistics.lastComplete(Period.MINUTE, statistics.now());
    Map<String, Double> rates = new HashMap<>();
    for (Row row : statistics.read(Period.MINUTE, last)) {
      Long enqueued = row.enqueued();
      if (row.startsAt().equals(last) && enqueued != null) {
        rates.put(row.topic(), (double) enqueued / Period.MINUTE.length().toSeconds());
      }
    }
    return rates;
  }

  /** Of all topics, also of those that this worker does not handle. */
  private static double allDeadLetters(DSLContext dsl) {
    Set<String> names = JooqTopicNames.ofDeadLetters(dsl, Integer.MAX_VALUE);
    QueueCounts.Query query =
        new QueueCounts.Query(
            Set.of(Figure.DEAD_LETTERS), QueueCounts.FROM_THE_START, QueueCounts.MOST);
    return QueueCounts.read(dsl, names, query).values().stream()
        .mapToLong(counts -> counts.deadLetters().number())
        .sum();
  }

  /** A topic without a row in a minute that was sampled had no message. */
  double enqueuedPerSecond(Topic topic) {
    return enqueued.getOrDefault(
        topic.name(), enqueued.containsKey(Statistics.ALL) ? 0 : Double.NaN);
  }

  double depth(Topic topic) {
    return of(topic, counts -> counts.available().plus(counts.blocked()).number());
  }

  double oldestSeconds(Topic topic) {
    return of(topic, counts -> counts.oldest() == null ? 0 : counts.oldest().toMillis() / 1_000.0);
  }

  double deadLetters(Topic topic) {
    return of(topic, counts -> counts.deadLetters().number());
  }

  private double of(Topic topic, ToDoubleFunction<TopicCounts> figure) {
    TopicCounts counts = found.get(topic.name());
    return counts == null ? Double.NaN : figure.applyAsDouble(counts);
  }

  double deadLetters() {
    return deadLetters;
  }

  /** Returns whether the last reading succeeded. */
  boolean isAnswered() {
    return answered;
  }
}
