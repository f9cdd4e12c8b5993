package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Transactions;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the overview shows, read when somebody looks and then kept for all: for two seconds, or for
 * twenty times as long as it took, so that ten operators cost what one costs. Remembers what it
 * read for a quarter of an hour, for the charts. Thread-safe.
 */
@Singleton
class Board {

  private static final long KEPT = Duration.ofSeconds(2).toNanos();
  private static final long NAMES_KEPT = Duration.ofSeconds(10).toNanos();
  private static final long REMEMBERED = Duration.ofMinutes(15).toNanos();
  private static final int PARTS = 20;

  private final DashboardPool pool;
  private final OwnWork own;
  private final TopicAccess reach;
  private final ReentrantLock reading = new ReentrantLock();
  private final Deque<Sample> samples = new ArrayDeque<>();

  private volatile @Nullable Reading last;
  private volatile long nextNanos = System.nanoTime();
  private volatile @Nullable QueueException failure;
  private final AtomicLong changes = new AtomicLong();
  private Set<String> names = Set.of();
  private long namesUntil = System.nanoTime();

  @Inject
  Board(DashboardPool pool, OwnWork own, DashboardConfig config) {
    this.pool = pool;
    this.own = own;
    this.reach = new TopicAccess(config.statementTimeout(), System::nanoTime);
  }

  /**
   * One look at everything.
   *
   * @param nanos when, as {@link System#nanoTime()}
   * @param ids what the engine says of the table; null if it says nothing
   * @param topics what they hold
   * @param settings what is set for them
   * @param workers who is alive
   * @param most where each count ended
   * @param tookNanos how long it took
   */
  record Reading(
      long nanos,
      JooqCounts.@Nullable Ids ids,
      Map<String, TopicCounts> topics,
      Map<String, TopicInfo> settings,
      List<ListedWorker> workers,
      int most,
      long tookNanos) {

    TopicCounts sum() {
      return topics.values().stream().reduce(TopicCounts.NONE, TopicCounts::plus);
    }

    /** Whether all that live were counted. */
    boolean isExact() {
      return sum().living().isAll();
    }
  }

  /** What is remembered of a reading. */
  record Sample(Reading of, long handled, long failed) {}

  /**
   * As it is, or was a moment ago. One that failed is kept as long as one that did not: it took as
   * much of the database.
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

  /** The topics, as far as they are known: to choose from, where the page itself needs no more. */
  Set<String> topics() {
    try {
      return read().topics().keySet();
    } catch (QueueException e) {
      Reading known = last;
      return known == null ? Set.of() : known.topics().keySet();
    }
  }

  /** Reads again with the next look: something was changed. */
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
      // What was changed meanwhile, this may have seen as it was before.
      boolean isOld = changes.get() != change;
      nextNanos = isOld ? end : end + Math.max(KEPT, PARTS * (end - start));
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
    Map<String, TopicCounts> topics = reach.count(most -> JooqCounts.read(transactions, all, most));
    JooqCounts.Ids ids = JooqCounts.ids(transactions);
    long took = System.nanoTime() - start;
    Reading now =
        new Reading(System.nanoTime(), ids, topics, settings, workers, reach.used(), took);
    remember(now);
    last = now;
    return now;
  }

  private Set<String> names(Transactions transactions, long now) {
    if (now - namesUntil >= 0) {
      names = JooqTopicNames.read(transactions);
      namesUntil = now + NAMES_KEPT;
    }
    return names;
  }

  private void remember(Reading now) {
    synchronized (samples) {
      samples.addLast(new Sample(now, own.handled(), own.failed()));
      while (now.nanos() - samples.getFirst().of().nanos() > REMEMBERED) {
        samples.removeFirst();
      }
    }
  }

  /** What was read in the last quarter of an hour, the oldest first. */
  List<Sample> samples() {
    synchronized (samples) {
      return new ArrayList<>(samples);
    }
  }
}
