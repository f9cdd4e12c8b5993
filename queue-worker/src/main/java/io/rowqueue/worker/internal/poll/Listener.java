package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.listen.ListenerSleep;
import io.rowqueue.internal.listen.Listeners;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.internal.text.RepeatedFailures;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.lease.WorkerLease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Waits for notifications on a connection of its own while the claimer is idle. A busy worker does
 * not register as a listener, so that producers do not notify it needlessly; a worker that has just
 * become busy may still receive one.
 *
 * <p>A notification that arrives just before the SLEEP starts is lost; the claimer's next poll, 20
 * ms after it became idle, finds the message. Thread-safe.
 */
@Singleton
public final class Listener {

  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  /** The duration of one SLEEP; a half-open connection is detected after it. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private static final Duration TRIAL = Duration.ofSeconds(2);
  private static final Duration TRIAL_POLL = Duration.ofMillis(5);

  /** Until a SLEEP that is about to begin is seen on the server. */
  private static final Duration FALLS_ASLEEP = Duration.ofMillis(50);

  private static final Duration MOST_IDLE = Duration.ofSeconds(5);
  private static final Duration AFTER_LOSS = Duration.ofSeconds(1);
  private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

  private final WorkerConfig config;
  private final WorkerPools pools;
  private final WorkerLease lease;
  private final WorkerThreads threads;
  private final Signal signal;
  private final Semaphore armed = new Semaphore(0);
  private final AtomicLong wakes = new AtomicLong();
  private volatile @Nullable Connection connection;
  private volatile long id;
  private volatile boolean closed;
  private final RepeatedFailures losses = new RepeatedFailures(System::nanoTime);

  private boolean refused;

  @Inject
  Listener(
      WorkerConfig config,
      WorkerPools pools,
      WorkerLease lease,
      WorkerThreads threads,
      Signal signal) {
    this.config = config;
    this.pools = pools;
    this.lease = lease;
    this.threads = threads;
    this.signal = signal;
  }

  /** Starts listening. */
  public void start() {
    pools.onMove(this::leave);
    threads.repeat("listener", "listening", () -> !closed, this::life);
  }

  /**
   * Called when the claimer becomes idle: from then on, or shortly after, notifications wake it.
   */
  void arm() {
    if (armed.availablePermits() == 0) {
      armed.release();
    }
  }

  /** Returns the number of notifications received. */
  public long wakes() {
    return wakes.get();
  }

  /**
   * Interrupts the sleep and closes the connection. A thread blocked in the driver ignores
   * interrupts, and the server would continue the SLEEP after the client has gone. A connection of
   * the application's pool is not closed, but returned when the sleep has ended.
   */
  public void close() {
    closed = true;
    Connection last = connection;
    if (last == null) {
      return;
    }
    boolean own = pools.opensConnections();
    long deadline = System.nanoTime() + (own ? 0 : FALLS_ASLEEP.toNanos());
    try (Connection other = pools.reads().getConnection()) {
      while (!Listeners.wake(other, id) && System.nanoTime() - deadline < 0) {
        threads.pause(TRIAL_POLL);
      }
    } catch (SQLException e) {
      LOG.debug("the listener's sleep continues on the server: {}", e.getMessage());
    }
    if (own) {
      leave();
    }
  }

  /** Closes the connection on the client side; the next one may lead to another host. */
  private void leave() {
    Connection last = connection;
    if (last == null) {
      return;
    }
    try {
      last.abort(Runnable::run);
    } catch (SQLException e) {
      LOG.debug("the listener's connection was already closed: {}", e.getMessage());
    }
  }

  /** Runs until the connection ends. */
  private void life() throws InterruptedException {
    Duration pause = AFTER_LOSS;
    try (Connection used = pools.connect()) {
      used.setNetworkTimeout(Runnable::run, (int) LONGEST.plusSeconds(10).toMillis());
      Duration keepAlive = identify(used);
      connection = used;
      if (arrives(used)) {
        ServerIncarnation server = ServerIncarnation.of(JooqSettings.dsl(used, pools.dialect()));
        try {
          lease.listens(id, server);
          listen(used, keepAlive);
        } finally {
          lease.listensNoMore();
        }
      } else {
        pause = AFTER_REFUSAL;
      }
    } catch (SQLException | org.jooq.exception.DataAccessException | QueueException e) {
      if (!closed) {
        lost(e);
      }
    } finally {
      connection = null;
    }
    if (!closed) {
      threads.pause(pause);
    }
  }

  /** Reconnects each second. A proxy that cuts idle connections makes this last for ever. */
  private void lost(Exception failure) {
    String more = losses.add("", failure);
    LOG.atLevel(more == null ? Level.DEBUG : Level.INFO)
        .log(
            "the connection that waits for notifications was lost; reconnecting: {}{}",
            FailureText.of(failure),
            Objects.requireNonNullElse(more, ""));
  }

  /** While the worker is busy, it asks the server for nothing but to keep the connection. */
  private void listen(Connection used, Duration keepAlive)
      throws SQLException, InterruptedException {
    while (!closed && !threads.isStopped()) {
      if (!armed.tryAcquire(keepAlive.toMillis(), TimeUnit.MILLISECONDS)) {
        identify(used);
        continue;
      }
      while (!closed && !ListenerSleep.sleep(used, id, LONGEST)) {
        LOG.trace("no notification for {}", Humanize.duration(LONGEST));
      }
      armed.drainPermits();
      if (!closed) {
        wakes.incrementAndGet();
        signal.notifyWorkers();
      }
    }
  }

  /**
   * Sends a notification to itself once: behind a proxy, or without the privilege, notifications
   * never arrive.
   */
  private boolean arrives(Connection used) throws SQLException {
    threads.start("notification-test", this::notificationTest);
    boolean arrived = ListenerSleep.sleep(used, id, TRIAL);
    if (!arrived) {
      refuse(
          Objects.requireNonNullElse(
              Listeners.whyUnseen(used),
              "its own test notification did not arrive; a proxy may be in between"));
    }
    return arrived;
  }

  private void notificationTest() {
    long deadline = System.nanoTime() + TRIAL.toNanos();
    try (Connection other = pools.reads().getConnection()) {
      while (!Listeners.wake(other, id) && System.nanoTime() < deadline && !threads.isStopped()) {
        threads.pause(TRIAL_POLL);
      }
    } catch (SQLException e) {
      refuse(FailureText.of(e));
    }
  }

  private synchronized void refuse(@Nullable String why) {
    if (!refused && !closed) {
      refused = true;
      LOG.warn(
          "wake-up notifications do not reach this worker ({}); it polls every {} instead",
          why,
          Humanize.duration(config.pollInterval()));
    }
  }

  /**
   * Reads the id of the connection.
   *
   * @return how long it may be idle: half as long as the server allows
   */
  private Duration identify(Connection used) throws SQLException {
    try (Statement statement = used.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID(), @@SESSION.wait_timeout")) {
      row.next();
      id = row.getLong(1);
      return Collections.min(List.of(MOST_IDLE, Duration.ofMillis(row.getLong(2) * 500)));
    }
  }
}
