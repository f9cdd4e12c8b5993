package io.rowqueue.internal.listen;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.listen.Listeners.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Ends the sleep of as many listeners as the number of messages justifies. Most commits cost one
 * query and one KILL. Nothing is sent for a topic that was notified a moment ago, because a woken
 * worker polls again after 20 ms. The moment is 5 ms, and longer if notifications are slow.
 */
public final class KillQueryNotifier implements WorkerNotifier {

  private static final long LEAST_INTERVAL_NANOS = Duration.ofMillis(5).toNanos();

  /**
   * Less than a woken worker's first wait, so that a skipped notification costs no more than that
   * wait.
   */
  private static final long MOST_INTERVAL_NANOS = Duration.ofMillis(15).toNanos();

  /** The share of time that notifications may take: if they are slow, the server is busy. */
  private static final int PARTS = 10;

  /** A worker claims up to 500; more workers are faster as soon as their handlers do any work. */
  private static final int MESSAGES_PER_WORKER = 100;

  private static final int MOST_WORKERS = 8;

  private static final long IDLE_SECONDS = 5;

  private final DataSource dataSource;
  private final Map<Topic, Long> notified = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor thread = thread();

  /** Messages for which no worker was woken yet; guarded by itself. */
  private final Map<Topic, Integer> pending = new HashMap<>();

  private final NotificationFailures trouble = new NotificationFailures();
  private final ResultNotifier waiters = new ResultNotifier();
  private volatile long intervalNanos = LEAST_INTERVAL_NANOS;

  public KillQueryNotifier(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** A daemon thread that ends when it is idle. */
  private static ThreadPoolExecutor thread() {
    return new ThreadPoolExecutor(
        0,
        1,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        work -> {
          Thread thread = new Thread(work, "rowqueue-wake-up");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** On a thread of its own, because the caller may hold the last connection of the pool. */
  @Override
  public void notifyWorkers(Map<Topic, Integer> committed) {
    synchronized (pending) {
      boolean waits = !pending.isEmpty();
      committed.forEach((topic, count) -> pending.merge(topic, count, Integer::sum));
      if (!waits && !pending.isEmpty()) {
        begin();
      }
    }
  }

  /** What stays pending would keep later notifications from beginning. */
  private void begin() {
    try {
      thread.execute(this::notificationPending);
    } catch (Throwable e) {
      pending.clear();
      trouble.failed(e);
    }
  }

  private void notificationPending() {
    try (Connection connection = dataSource.getConnection()) {
      notifyWorkers(takePending(), connection);
    } catch (Throwable e) {
      var unused = takePending();
      trouble.failed(e);
    }
  }

  private Map<Topic, Integer> takePending() {
    synchronized (pending) {
      Map<Topic, Integer> taken = Map.copyOf(pending);
      pending.clear();
      return taken;
    }
  }

  @Override
  public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {
    Map<Topic, Integer> due = due(committed);
    if (due.isEmpty()) {
      return;
    }
    try {
      wake(due, idle);
    } catch (SQLException | RuntimeException e) {
      trouble.failed(e);
    }
  }

  @Override
  public void notifyResultWaiters(Set<String> awaiting, Connection idle) {
    waiters.notifyWaiters(awaiting, idle);
  }

  /** The topics that were not notified a moment ago, unless notifications fail at present. */
  private Map<Topic, Integer> due(Map<Topic, Integer> committed) {
    long now = System.nanoTime();
    if (trouble.pauses(now)) {
      return Map.of();
    }
    Map<Topic, Integer> due = new HashMap<>();
    committed.forEach(
        (topic, count) -> {
          if (mayNotify(topic, now)) {
            due.put(topic, count);
          }
        });
    return due;
  }

  private boolean mayNotify(Topic topic, long now) {
    Long last = notified.get(topic);
    if (last != null && now - last < intervalNanos) {
      return false;
    }
    return last == null
        ? notified.putIfAbsent(topic, now) == null
        : notified.replace(topic, last, now);
  }

  private void wake(Map<Topic, Integer> due, Connection connection) throws SQLException {
    long from = System.nanoTime();
    try {
      var unused = AutoCommitSession.read(connection, reading -> wakeSome(due, reading));
    } finally {
      long wanted = PARTS * (System.nanoTime() - from);
      intervalNanos = Math.max(LEAST_INTERVAL_NANOS, Math.min(MOST_INTERVAL_NANOS, wanted));
    }
  }

  private Set<Long> wakeSome(Map<Topic, Integer> due, Connection connection) throws SQLException {
    List<Listener> listeners = Listeners.on(connection);
    Set<Long> chosen = trouble.keepsFrom(listeners, connection) ? Set.of() : chosen(due, listeners);
    for (long id : chosen) {
      kill(id, connection);
    }
    return chosen;
  }

  /** The sleeping listeners, in random order, so that wake-ups are spread over all workers. */
  private static Set<Long> chosen(Map<Topic, Integer> due, List<Listener> listeners) {
    List<Listener> asleep = new ArrayList<>(listeners.stream().filter(Listener::asleep).toList());
    Collections.shuffle(asleep);
    Set<Long> chosen = new LinkedHashSet<>();
    due.forEach(
        (topic, count) ->
            asleep.stream()
                .filter(listener -> listener.topics().contains(topic.name()))
                .limit(workers(count))
                .forEach(listener -> chosen.add(listener.connection())));
    return chosen;
  }

  private static int workers(int messages) {
    return Math.min(MOST_WORKERS, (messages + MESSAGES_PER_WORKER - 1) / MESSAGES_PER_WORKER);
  }

  private void kill(long id, Connection connection) throws SQLException {
    ListenerSleep.end(connection, id);
    trouble.over();
  }
}
