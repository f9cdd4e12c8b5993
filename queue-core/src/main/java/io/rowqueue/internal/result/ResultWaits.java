package io.rowqueue.internal.result;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.listen.ListenerSleep;
import io.rowqueue.internal.result.PendingResults.ResultReader;
import io.rowqueue.internal.text.FailureText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The waits of a process, and the two threads that serve them as soon as there are any.
 * Thread-safe.
 */
public final class ResultWaits {

  private final DataSource dataSource;
  private final PendingResults pending;
  private final ResultListener listener;
  private @Nullable Thread polling;
  private @Nullable Thread listening;

  public ResultWaits(DataSource dataSource) {
    this.dataSource = dataSource;
    this.pending = new PendingResults(new ResultReader(dataSource));
    this.listener = new ResultListener(dataSource, pending);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** The name under which workers find this process. */
  public String waiter() {
    return listener.waiter();
  }

  /** Starts listening; returns once workers can find this process, or after {@code longest}. */
  public void listen(Duration longest) throws InterruptedException {
    start();
    listener.want(longest);
  }

  public CompletableFuture<ResultState.Settled> await(MessageId id) {
    start();
    listener.want();
    return pending.await(id).future();
  }

  /** Each wait replaces a thread that has died, or could not be started. */
  private synchronized void start() {
    pending.checkOpen();
    polling = alive(polling, "rowqueue-results-poll", pending::pollUntilClosed);
    listening = alive(listening, "rowqueue-results-listener", listener::listenUntilClosed);
  }

  private static Thread alive(@Nullable Thread known, String name, Runnable loop) {
    if (known != null && known.isAlive()) {
      return known;
    }
    Thread thread = new Thread(loop, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  public void close() {
    pending.close();
    listener.wake();
  }

  public sealed interface ResultState {

    record InQueue() implements ResultState {}

    record Dead(String reason, String detail) implements ResultState {}

    /**
     * It was acked, with this result.
     *
     * @param headers how {@code content} is wrapped; null if it is not
     * @param content null if its handler returned null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Settled(Topic topic, @Nullable String headers, byte @Nullable [] content)
        implements ResultState {}
  }

  /**
   * The one connection on which a process waits for notifications while it awaits results. It is
   * held as long as there are waits, and a minute more. While it cannot be opened, or is lost,
   * polling continues.
   */
  private static final class ResultListener {

    private static final Logger LOG = LoggerFactory.getLogger(ResultListener.class);

    private static final Duration SLEEP = Duration.ofSeconds(1);
    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long REGISTER_EVERY_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long AFTER_FAILURE_MILLIS = 1_000;

    /** If the server does not end a sleep by then, the connection is dead. */
    private static final int SILENT_MILLIS = 10_000;

    private final DataSource dataSource;
    private final PendingResults pending;
    private final String waiter = LockId.create("waiter", ProcessHandle.current().pid()).value();
    private boolean wanted;
    private boolean registered;
    private boolean failed;

    ResultListener(DataSource dataSource, PendingResults pending) {
      this.dataSource = dataSource;
      this.pending = pending;
    }

    /** The name under which workers find this process. */
    String waiter() {
      return waiter;
    }

    synchronized void want() {
      wanted = true;
      notifyAll();
    }

    /**
     * Opens the connection, and returns once workers can find it, or after {@code longest}; at once
     * if opening has just failed.
     */
    synchronized void want(Duration longest) throws InterruptedException {
      want();
      long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
      long left = TimeUnit.NANOSECONDS.convert(longest);
      while (!registered && !failed && left > 0 && !pending.isClosed()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = deadline - System.nanoTime();
      }
    }

    /** Listens until the waits are closed; never throws. */
    void listenUntilClosed() {
      while (!pending.isClosed()) {
        try {
          awaitWanted();
          life();
        } catch (InterruptedException e) {
          LOG.debug("the listener for results was interrupted; only close() ends it");
        }
      }
    }

    private synchronized void awaitWanted() throws InterruptedException {
      while (!wanted && !pending.isClosed()) {
        wait();
      }
    }

    /** Wakes threads that wait for the listener after the waits were closed. */
    synchronized void wake() {
      notifyAll();
    }

    private void life() throws InterruptedException {
      try (Connection connection = dataSource.getConnection()) {
        try {
          connection.setAutoCommit(true);
          connection.setNetworkTimeout(Runnable::run, SILENT_MILLIS);
          listen(connection);
        } finally {
          leave(connection);
        }
      } catch (Throwable e) {
        failed(e);
      }
    }

    /**
     * A notification may be on its way to this connection and must not hit a later statement of
     * another user, so the connection is aborted and the pool never reuses it.
     */
    private synchronized void leave(Connection connection) throws SQLException {
      registered = false;
      connection.abort(Runnable::run);
    }

    private void listen(Connection connection) throws SQLException {
      ServerDialect dialect = ServerDialect.of(connection);
      long id;
      String server;
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT CONNECTION_ID(), " + dialect.identity())) {
        row.next();
        id = row.getLong(1);
        server = row.getString(2);
      }
      ResultWaiters waiters =
          new ResultWaiters(new Transactions(dataSource, dialect, TransactionProbe.NONE));
      long registeredNanos = System.nanoTime();
      waiters.register(waiter, id, server);
      registered();
      long busyNanos = System.nanoTime();
      while (!pending.isClosed() && (pending.isAwaiting() || !isIdle(busyNanos))) {
        busyNanos = pending.isAwaiting() ? System.nanoTime() : busyNanos;
        if (System.nanoTime() - registeredNanos > REGISTER_EVERY_NANOS) {
          registeredNanos = System.nanoTime();
          waiters.register(waiter, id, server);
        }
        if (ListenerSleep.sleep(connection, id, SLEEP)) {
          pending.notified();
        }
      }
    }

    private synchronized boolean isIdle(long busyNanos) {
      boolean idle = System.nanoTime() - busyNanos > IDLE_NANOS;
      wanted = wanted && !idle;
      return idle;
    }

    private synchronized void registered() {
      registered = true;
      failed = false;
      notifyAll();
    }

    private void failed(Throwable failure) throws InterruptedException {
      if (pending.isClosed()) {
        return;
      }
      if (fails()) {
        LOG.debug("workers cannot notify this process", failure);
      } else {
        LOG.warn(
            "workers cannot notify this process of results ({}), so it polls once a second. The"
                + " data source needs a connection for it, and the account `grants result-reader`",
            FailureText.of(failure));
      }
      TimeUnit.MILLISECONDS.sleep(AFTER_FAILURE_MILLIS);
    }

    /**
     * Records a failure; the next attempt waits for a caller that needs it. Returns whether it had
     * failed before, since it was last registered.
     */
    private synchronized boolean fails() {
      boolean before = failed;
      failed = true;
      wanted = pending.isAwaiting();
      notifyAll();
      return before;
    }
  }
}
