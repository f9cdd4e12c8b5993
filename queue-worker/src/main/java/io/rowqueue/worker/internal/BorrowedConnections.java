package io.rowqueue.worker.internal;

import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.SessionSettings;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of a data source of the application. While one is borrowed, it has the session
 * settings, the auto-commit mode and the network timeout that RowQueue needs; it is returned with
 * those that it had. Thread-safe.
 */
public final class BorrowedConnections {

  private static final Logger LOG = LoggerFactory.getLogger(BorrowedConnections.class);

  /** What connections are borrowed for. */
  public enum Purpose {
    /** Transactions of the worker itself. */
    PROTOCOL,
    /** Single reads, in auto-commit mode. */
    READS,
    /** Migrations by Flyway, in auto-commit mode. */
    MIGRATIONS,
    /** Transactions of handlers. */
    HANDLERS,
    /**
     * Transactions of handlers that end in the data source's own commit and rollback: the
     * connection must not be used afterwards.
     */
    MANAGED;

    boolean autoCommit() {
      return this == READS || this == MIGRATIONS;
    }

    /** Handlers' statements are cut off by the id of their connection. */
    boolean needsSession() {
      return this == HANDLERS || this == MANAGED;
    }

    private Class<?>[] types() {
      return needsSession()
          ? new Class<?>[] {Connection.class, ServerSession.Known.class}
          : new Class<?>[] {Connection.class};
    }
  }

  private static final int LONGEST_WAIT_SECONDS = 5;

  /**
   * MariaDB's driver opens another connection to abort one that waits for an answer; with a server
   * that does not answer, that takes as long as its connect timeout.
   */
  private static final int LONGEST_ABORT_SECONDS = 1;

  private final @Nullable Semaphore permits;
  private final Set<Loan> loans = ConcurrentHashMap.newKeySet();

  /** Threads that wait for a connection, and whether {@link #cut} has interrupted them. */
  private final Map<Thread, Boolean> waiting = new HashMap<>();

  private volatile boolean cut;

  /** Borrows as many as are asked for. */
  BorrowedConnections() {
    this.permits = null;
  }

  /** Borrows at most {@code most} at once; who waits for more than 5 s gets an exception. */
  public BorrowedConnections(int most) {
    this.permits = new Semaphore(most, true);
  }

  /**
   * A data source that borrows from {@code source}.
   *
   * @param longest the longest wait for an answer, and for the next statement
   */
  public DataSource of(DataSource source, Purpose purpose, Duration longest) {
    return new FreshConnections(() -> borrow(source, purpose, longest));
  }

  /** Borrows one connection. */
  public Connection borrow(DataSource source, Purpose purpose, Duration longest)
      throws SQLException {
    refuseIfCut();
    acquire();
    Connection lent;
    try {
      lent = next(source);
    } catch (SQLException | RuntimeException e) {
      release();
      throw e;
    }
    Loan loan = new Loan(lent, purpose);
    loans.add(loan);
    try {
      refuseIfCut();
      loan.prepare(longest);
    } catch (SQLException | RuntimeException e) {
      loan.abort();
      loan.refuse();
      throw e;
    }
    return (Connection)
        Proxy.newProxyInstance(BorrowedConnections.class.getClassLoader(), purpose.types(), loan);
  }

  private void refuseIfCut() throws SQLException {
    if (cut) {
      throw new SQLException("the worker is closed, and its connections with it");
    }
  }

  private Connection next(DataSource source) throws SQLException {
    Thread borrower = Thread.currentThread();
    synchronized (waiting) {
      waiting.put(borrower, false);
    }
    try {
      return source.getConnection();
    } finally {
      synchronized (waiting) {
        if (Boolean.TRUE.equals(waiting.remove(borrower))) {
          boolean unused = Thread.interrupted();
        }
      }
    }
  }

  private void acquire() throws SQLException {
    try {
      if (permits != null && !permits.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new SQLTransientConnectionException("too many connections are borrowed already");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
    }
  }

  private void release() {
    if (permits != null) {
      permits.release();
    }
  }

  /**
   * Closes every borrowed connection, including those that wait for an answer; lends no more, not
   * even to threads that already wait for a connection.
   */
  public void cut() {
    cut = true;
    synchronized (waiting) {
      waiting.replaceAll(
          (borrower, interrupted) -> {
            borrower.interrupt();
            return true;
          });
    }
    await(
        CompletableFuture.allOf(
            loans.stream().map(Loan::startAbort).toArray(CompletableFuture[]::new)));
  }

  private static void await(CompletableFuture<Void> abort) {
    abort.copy().completeOnTimeout(null, LONGEST_ABORT_SECONDS, TimeUnit.SECONDS).join();
  }

  private static void runConcurrently(Runnable work) {
    Thread thread = new Thread(work, "queue-abort");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      LOG.debug("no thread can be started to abort a connection", e);
      work.run();
    }
  }

  /**
   * One borrowed connection. Confined to one thread, except for {@link #abort}, {@link #startAbort}
   * and {@link #close}.
   */
  private final class Loan implements InvocationHandler {

    private final Connection lent;
    private final Purpose purpose;
    private final Thread owner = Thread.currentThread();
    private int timeout;
    private boolean autoCommit;
    private @Nullable ServerSession session;
    private String restore = SessionSettings.RESTORE;

    /** Whether the framework has ended its transaction. */
    private boolean ended;

    /** Not null once the connection must not be used any more; done when it is closed. */
    private @Nullable CompletableFuture<Void> aborted;

    private boolean returned;

    Loan(Connection lent, Purpose purpose) {
      this.lent = lent;
      this.purpose = purpose;
    }

    void prepare(Duration longest) throws SQLException {
      timeout = lent.getNetworkTimeout();
      autoCommit = lent.getAutoCommit();
      lent.setNetworkTimeout(Runnable::run, Math.toIntExact(longest.toMillis()));
      if (purpose == Purpose.MIGRATIONS) {
        restore = SessionSettings.restoreByValue(lent);
      }
      SessionSettings.applyBorrowed(lent, longest);
      if (autoCommit != purpose.autoCommit()) {
        lent.setAutoCommit(purpose.autoCommit());
      }
      if (purpose.needsSession()) {
        session = ServerSession.of(lent);
      }
    }

    /** Returns one that could not be prepared. */
    void refuse() {
      if (purpose == Purpose.MANAGED) {
        try {
          lent.rollback();
        } catch (SQLException | RuntimeException e) {
          LOG.debug("rollback on a lost connection: {}", e.getMessage());
        }
        end();
      }
      close();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      return switch (method.getName()) {
        case "close" -> {
          close();
          yield null;
        }
        case "abort" -> {
          abort();
          yield null;
        }
        case "commit" -> {
          if (purpose == Purpose.MANAGED) {
            restore();
            endManaged();
          }
          yield call(method, arguments);
        }
        case "rollback" -> arguments == null ? rollback(method) : call(method, arguments);
        case "session" -> session;
        case "isClosed" -> isReturned() || lent.isClosed();
        case "equals" -> arguments != null && proxy == arguments[0];
        case "hashCode" -> System.identityHashCode(proxy);
        default -> call(method, arguments);
      };
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
      try {
        return method.invoke(lent, arguments);
      } catch (InvocationTargetException e) {
        Throwable cause = e.getCause();
        throw cause == null ? e : cause;
      }
    }

    private @Nullable Object rollback(Method method) throws Throwable {
      if (purpose == Purpose.MANAGED) {
        if (isEnded()) {
          return null;
        }
        tryToRestore();
        endManaged();
      }
      return call(method, null);
    }

    private void restore() throws SQLException {
      // Of a managed transaction, which is under way, this would be the commit.
      if (purpose != Purpose.MANAGED && autoCommit != lent.getAutoCommit()) {
        lent.setAutoCommit(autoCommit);
      }
      SessionSettings.restore(lent, restore);
      lent.setNetworkTimeout(Runnable::run, timeout);
    }

    /** False if the session is lost. */
    private boolean tryToRestore() {
      try {
        restore();
        return true;
      } catch (SQLException | RuntimeException e) {
        LOG.debug("a borrowed connection is lost: {}", e.getMessage());
        return false;
      }
    }

    private void close() {
      if (isReturned()) {
        return;
      }
      if (purpose == Purpose.MANAGED && Thread.currentThread() != owner) {
        giveUp();
        return;
      }
      if (purpose != Purpose.MANAGED && aborted() == null && !tryToRestore()) {
        abort();
      }
      end();
      synchronized (this) {
        returned = true;
      }
      loans.remove(this);
      release();
      closeLent();
    }

    /** The pool may open another; the framework's transaction is still its own thread's to end. */
    private void giveUp() {
      if (!isEnded()) {
        abort();
        closeLent();
      }
    }

    /** Later, if it is being aborted: until then the driver may block. */
    private void closeLent() {
      CompletableFuture<Void> abort = aborted();
      if (abort == null) {
        returnLent();
      } else {
        var unused =
            abort.thenRun(
                () -> {
                  fail();
                  returnLent();
                });
      }
    }

    private void returnLent() {
      try {
        lent.close();
      } catch (SQLException | RuntimeException e) {
        LOG.debug("a borrowed connection could not be closed: {}", e.getMessage());
      }
    }

    /** Shows the pool, which may not test every connection, that this one is closed. */
    private void fail() {
      try (Statement statement = lent.createStatement()) {
        statement.execute("DO 0");
      } catch (SQLException | RuntimeException e) {
        LOG.trace("the pool knows that its connection is closed: {}", e.getMessage());
      }
    }

    /** From now on the connection may be another borrower's. */
    private synchronized void end() {
      ended = true;
    }

    /** The framework returns the connection, so an abort that has begun must not come later. */
    private void endManaged() {
      end();
      CompletableFuture<Void> abort = aborted();
      if (abort != null) {
        abort.join();
      }
    }

    private synchronized boolean isEnded() {
      return ended;
    }

    private synchronized @Nullable CompletableFuture<Void> aborted() {
      return aborted;
    }

    private synchronized boolean isReturned() {
      return returned;
    }

    /**
     * Closes the connection on the client, unless it has been returned. May return before that is
     * done, if the driver blocks.
     */
    void abort() {
      await(startAbort());
    }

    /** Begins to close the connection; done at once on the borrower's thread. */
    synchronized CompletableFuture<Void> startAbort() {
      CompletableFuture<Void> abort = aborted;
      if (abort == null && ended) {
        return CompletableFuture.completedFuture(null);
      }
      if (abort == null) {
        abort =
            CompletableFuture.runAsync(
                this::abortLent,
                Thread.currentThread() == owner
                    ? Runnable::run
                    : BorrowedConnections::runConcurrently);
        aborted = abort;
      }
      return abort;
    }

    private void abortLent() {
      try {
        lent.abort(Runnable::run);
      } catch (SQLException | RuntimeException e) {
        LOG.debug("a borrowed connection could not be aborted: {}", e.getMessage());
      }
    }
  }
}
