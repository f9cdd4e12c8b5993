package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.JooqEstimates;
import io.rowqueue.internal.depth.JooqTableSize;
import io.rowqueue.internal.operate.JooqTopicNames;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The overview's data, read on demand and then shared by all operators: for two seconds, or for
 * twenty times as long as the reading took, so that ten operators cost as much as one. Keeps a
 * quarter of an hour of samples for the charts. Thread-safe.
 */
@Singleton
class Board {

  private static final long KEPT = Duration.ofSeconds(2).toNanos();
  private static final long FAILURE_KEPT = Duration.ofSeconds(10).toNanos();
  private static final long NAMES_KEPT = Duration.ofSeconds(10).toNanos();
  private static final long REMEMBERED = Duration.ofMinutes(15).toNanos();
  private static final int PARTS = 20;

  /** Counts whose entries would take longer stop early, and are completed by estimates. */
  private static final Duration COUNTING = Duration.ofMillis(20);

  /** The limit for messages and for dead letters, well above what fits on a page. */
  private static final int MOST_TOPICS = 200;

  private final DashboardPool pool;
  private final CountLimit limit;
  private final ReentrantLock reading = new ReentrantLock();
  private final Deque<Reading> samples = new ArrayDeque<>();

  private volatile @Nullable Reading last;
  private volatile long nextNanos = System.nanoTime();
  private volatile @Nullable QueueException failure;
  private final AtomicLong changes = new AtomicLong();
  private Set<String> names = Set.of();
  private long namesUntil = System.nanoTime();

  @Inject
  Board(DashboardPool pool, DashboardConfig config) {
    this.pool = pool;
    Duration half = config.statementTimeout().dividedBy(2);
    this.limit = new CountLimit(half.compareTo(COUNTING) < 0 ? half : COUNTING, System::nanoTime);
  }

  /**
   * One reading.
   *
   * @param nanos its time, as {@link System#nanoTime()}
   * @param size the engine's estimate; null if unknown
   * @param topics the counts by topic; those that are not exact are estimates
   * @param settings the settings by topic
   * @param workers the live workers
   * @param most the limit of exact counts
   * @param tookNanos its duration
   */
  record Reading(
      long nanos,
      @Nullable JooqTableSize size,
      Map<String, TopicCounts> topics,
      Map<String, TopicInfo> settings,
      List<ListedWorker> workers,
      int most,
      long tookNanos) {

    TopicCounts sum() {
      return TopicCounts.sum(topics);
    }

    /** Returns the values of the template {@code estimates}. */
    Map<String, Object> estimates() {
      return Map.of("exact", sum().isExact(), "counted", Texts.number(most));
    }

    /** Returns how many threads the workers have. */
    int threads() {
      return workers.stream()
          .mapToInt(worker -> worker.load() == null ? 0 : worker.load().threads())
          .sum();
    }
  }

  /**
   * Returns the current reading, possibly cached. A failed reading is cached, too, since it costs
   * the database as much, but for ten seconds at most: the server may be back.
   *
   * @throws QueueException if it cannot be read
   */
  Reading read() {
    Reading known = last;
    if (known != null && failure == null && (isFresh() || reading.isLocked())) {
      return known;
    }
    reading.lock();
    try {
      return isFresh() ? kept() : readAnew();
    } finally {
      reading.unlock();
    }
  }

  private boolean isFresh() {
    return (last != null || failure != null) && System.nanoTime() - nextNanos < 0;
  }

  private Reading kept() {
    QueueException failed = failure;
    if (failed != null) {
      throw failed;
    }
    return Objects.requireNonNull(last);
  }

  /** Returns the known topics, for selection lists of pages that need no counts. */
  Set<String> topics() {
    try {
      return read().topics().keySet();
    } catch (QueueException e) {
      Reading known = last;
      return known == null ? Set.of() : known.topics().keySet();
    }
  }

  /** Expires the cached reading after a change. */
  void forget() {
    changes.incrementAndGet();
    nextNanos = System.nanoTime();
  }

  private Reading readAnew() {
    long start = System.nanoTime();
    long change = changes.get();
    try {
      Reading now = read(start);
      failure = null;
      return now;
    } catch (QueueException e) {
      failure = e;
      throw e;
    } finally {
      long end = System.nanoTime();
      // A reading that began before the change may not include it.
      boolean isOld = changes.get() != change;
      long kept = Math.max(KEPT, PARTS * (end - start));
      nextNanos = isOld ? end : end + (failure == null ? kept : Math.min(kept, FAILURE_KEPT));
    }
  }

  private Reading read(long start) {
    Transactions transactions = pool.transactions();
    Map<String, TopicInfo> settings = new TreeMap<>();
    new JooqTopics(transactions).list().forEach(one -> settings.put(one.topic(), one));
    List<ListedWorker> workers = new WorkerReader(transactions).read();
    Set<String> all = new TreeSet<>(names(transactions, start));
    all.addAll(settings.keySet());
    workers.forEach(worker -> all.addAll(worker.status().topics()));
    JooqTableSize size = JooqTableSize.read(transactions);
    Map<String, TopicCounts> counts =
        limit.count(all.size(), size, most -> inHalves(transactions, List.copyOf(all), most));
    Map<String, TopicCounts> topics = JooqEstimates.complete(transactions, counts, size);
    long took = System.nanoTime() - start;
    Reading now =
        new Reading(System.nanoTime(), size, topics, settings, workers, limit.used(), took);
    remember(now);
    last = now;
    return now;
  }

  /** Counts many on two connections: almost all of a reading's time is the server's. */
  private static Map<String, TopicCounts> inHalves(
      Transactions transactions, List<String> topics, int most) {
    if (topics.size() <= QueueCounts.AT_ONCE) {
      return count(transactions, topics, most);
    }
    int half = topics.size() / 2;
    CompletableFuture<Map<String, TopicCounts>> second =
        CompletableFuture.supplyAsync(
            () -> count(transactions, topics.subList(half, topics.size()), most));
    Map<String, TopicCounts> all = count(transactions, topics.subList(0, half), most);
    try {
      all.putAll(second.join());
      return all;
    } catch (CompletionException e) {
      throw e.getCause() instanceof QueueException cause ? cause : e;
    }
  }

  private static Map<String, TopicCounts> count(
      Transactions transactions, List<String> topics, int most) {
    return transactions.read(dsl -> QueueCounts.read(dsl, topics, QueueCounts.Query.all(most)));
  }

  private Set<String> names(Transactions transactions, long now) {
    if (now - namesUntil >= 0) {
      names =
          transactions.read(
              dsl -> {
                Set<String> all = JooqTopicNames.ofMessages(dsl, MOST_TOPICS, names);
                all.addAll(JooqTopicNames.ofDeadLetters(dsl, MOST_TOPICS, all));
                return all;
              });
      namesUntil = now + NAMES_KEPT;
    }
    return names;
  }

  private void remember(Reading now) {
    synchronized (samples) {
      samples.addLast(now);
      while (now.nanos() - samples.getFirst().nanos() > REMEMBERED) {
        samples.removeFirst();
      }
    }
  }

  /** Returns the samples of the last quarter of an hour, oldest first. */
  List<Reading> samples() {
    synchronized (samples) {
      return new ArrayList<>(samples);
    }
  }
}
