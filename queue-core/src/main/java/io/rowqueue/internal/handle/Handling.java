package io.rowqueue.internal.handle;

import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One handling of a message or a batch while it runs, seen by its own thread and by the one that
 * watches its timeout. The thread that first leaves the state RUNNING or TIMED_OUT settles, so that
 * two never do. Thread-safe.
 */
public final class Handling {

  private static final Logger LOG = LoggerFactory.getLogger(Handling.class);

  /** Cuts a connection. */
  @FunctionalInterface
  public interface ConnectionCutter {

    /** Closes {@code connection} while another thread is using it. */
    void cut(Connection connection) throws SQLException;
  }

  private static final Map<ClaimKey, ProgressReport> NONE = Map.of();

  private enum State {
    RUNNING,
    TIMED_OUT,
    SETTLING,
    ABANDONED,
    ENDED
  }

  private final List<Claim> claims;
  private final List<Claim> companions;
  private final HandlerPolicy policy;
  private final Thread thread = Thread.currentThread();
  private volatile @Nullable Long startedNanos;

  /** Since when it waits for the end or the repetition of its transaction. */
  private @Nullable Long pausedNanos;

  private volatile Map<ClaimKey, ProgressReport> reports = NONE;
  private volatile Map<ClaimKey, String> cancels = Map.of();
  private Duration allowed;
  private State state = State.RUNNING;
  private boolean stopping;
  private boolean left;
  private boolean sentMoreThanRows;
  private long transactionNanos;
  private long handlerNanos;
  private @Nullable Connection connection;
  private volatile @Nullable HandlerResult result;

  /** Only its own thread writes it, and most handlers enqueue nothing. */
  private volatile Map<ClaimKey, HandlerOutput> output = Map.of();

  /** Of a single message. */
  Handling(Claim claim, HandlerPolicy policy) {
    this(List.of(claim), List.of(), policy);
  }

  /** Of all messages of one call, and the {@code companions} that share its transaction. */
  Handling(List<Claim> claims, List<Claim> companions, HandlerPolicy policy) {
    this.claims = new CopyOnWriteArrayList<>(claims);
    this.companions = List.copyOf(companions);
    this.policy = policy;
    this.allowed = policy.timeout();
  }

  /** Whether the calling code runs inside its handler. */
  public boolean isOnThisThread() {
    return thread == Thread.currentThread();
  }

  /** The message; of a batch, the first. */
  public Claim claim() {
    return claims.get(0);
  }

  /** All messages of this call: one, or a batch. */
  public List<Claim> claims() {
    return List.copyOf(claims);
  }

  /** Stores the handler's result. */
  void returned(@Nullable HandlerResult given) {
    result = given;
  }

  /** Collects what the handler of {@code claim} enqueues with its ack. */
  synchronized HandlerOutput output(Claim claim) {
    if (state != State.RUNNING && state != State.TIMED_OUT) {
      throw new IllegalStateException("the handler has returned and can no longer add messages");
    }
    Map<ClaimKey, HandlerOutput> all = new HashMap<>(output);
    HandlerOutput one = all.computeIfAbsent(ClaimKey.of(claim), key -> new HandlerOutput());
    output = all;
    return one;
  }

  /** {@code claim} with what its handler has left for the ack. */
  Claim handled(Claim claim) {
    Map<ClaimKey, HandlerOutput> all = output;
    HandlerOutput its = all.isEmpty() ? null : all.get(ClaimKey.of(claim));
    FollowUps followUps = its == null ? FollowUps.NOTHING : its.followUps();
    return claim.withHandled(new Handled(result, followUps, tookNanos()));
  }

  /** The time of the handler; without a transaction, until now. */
  private synchronized long tookNanos() {
    return transactionNanos == 0 ? runningNanos() : handlerNanos;
  }

  /** Messages that were handled before in the same transaction and wait for its COMMIT. */
  public List<Claim> companions() {
    return companions;
  }

  /** Adds {@code claim} to its batch. */
  void addToBatch(Claim claim) {
    claims.add(claim);
  }

  /** Removes {@code claim}, which was settled by itself before its batch started. */
  void removeFromBatch(Claim claim) {
    if (claims.size() > 1) {
      claims.remove(claim);
    }
  }

  /** The timeout, from {@link #start}; grows when the handler extends it. */
  public synchronized Duration timeout() {
    return allowed;
  }

  /**
   * Extends the timeout to {@code fromNow} from now, within the limit of the binding; never
   * shortens it.
   *
   * @return how long the handler may still run
   * @throws HandlerTimeoutException if its timeout has passed already
   * @throws IllegalStateException if its binding allows no extension, or the handler has returned
   */
  synchronized Duration extend(Duration fromNow) {
    Duration longest = policy.longestTimeout();
    if (longest == null) {
      throw new IllegalStateException(
          "the handler of '%s' cannot extend its timeout; bind it withLongestTimeout()"
              .formatted(claim().topic()));
    }
    if (timedOut()) {
      throw new HandlerTimeoutException(allowed);
    }
    if (state != State.RUNNING) {
      throw new IllegalStateException(
          "the handler has returned, so its timeout cannot be extended");
    }
    Duration running = Duration.ofNanos(runningNanos());
    Duration output = atMost(longest, running, fromNow);
    allowed = output.compareTo(allowed) > 0 ? output : allowed;
    return allowed.minus(running);
  }

  /** Avoids a sum that could overflow. */
  private static Duration atMost(Duration longest, Duration running, Duration fromNow) {
    Duration left = longest.minus(running);
    return left.compareTo(fromNow) < 0 ? longest : running.plus(fromNow);
  }

  /**
   * Records that {@code by} requested the cancellation of {@code claim}. Has no effect once the
   * handler is returning or has returned.
   */
  public synchronized void requestCancel(ClaimKey claim, String by) {
    if (!contains(claim) || cancels.containsKey(claim)) {
      return;
    }
    Map<ClaimKey, String> all = new HashMap<>(cancels);
    all.put(claim, by);
    cancels = all;
    if (policy.cancelByInterrupt()) {
      interrupt();
    }
  }

  private boolean contains(ClaimKey claim) {
    return claims.stream().anyMatch(one -> ClaimKey.of(one).equals(claim));
  }

  /** Who requested the cancellation of {@code claim}; null if this worker knows of no request. */
  @Nullable String cancelRequestedBy(Claim claim) {
    Map<ClaimKey, String> requested = cancels;
    return requested.isEmpty() ? null : requested.get(ClaimKey.of(claim));
  }

  /** Keeps the latest report of each message; most handlers never report progress. */
  void report(ProgressReport report) {
    if (policy.grouping().kind() == Grouping.Kind.SHARED_COMMIT) {
      throw new IllegalStateException(
          "the handler of '%s' shares its commit and cannot report progress"
              .formatted(claim().topic()));
    }
    // A handler that reports progress is slow; its next messages need not be tried in a group.
    sendMoreThanRows();
    Map<ClaimKey, ProgressReport> said = reports;
    if (said == NONE) {
      // Only its own thread reports.
      said = new ConcurrentHashMap<>();
      reports = said;
    }
    said.put(report.claim(), report);
  }

  /** Reports since the last call, of different messages. */
  public List<ProgressReport> takeReports() {
    Map<ClaimKey, ProgressReport> said = reports;
    return said.keySet().stream().map(said::remove).filter(Objects::nonNull).toList();
  }

  /**
   * Begins or continues the running time: a wait for a connection, for a payload, or for a
   * repetition is not the handler's.
   */
  synchronized void start() {
    long now = System.nanoTime();
    Long started = startedNanos;
    Long paused = pausedNanos;
    startedNanos = started == null ? now : started + (paused == null ? 0 : now - paused);
    pausedNanos = null;
  }

  /** The handler has returned; its transaction ends, or is repeated. */
  synchronized void pause() {
    pausedNanos = System.nanoTime();
  }

  /** The running time, measured on this host, in nanoseconds; 0 before its start. */
  public long runningNanos() {
    Long started = startedNanos;
    return started == null ? 0 : System.nanoTime() - started;
  }

  /** Interrupts the handler if its current timeout has passed. */
  public synchronized void interruptIfOver() {
    if (pausedNanos == null && Duration.ofNanos(runningNanos()).compareTo(allowed) >= 0) {
      interrupt();
    }
  }

  /**
   * Interrupts the handler because of its timeout. Has no effect once it has ended or is being
   * settled.
   */
  public synchronized void interrupt() {
    if (state == State.RUNNING) {
      state = State.TIMED_OUT;
      thread.interrupt();
    }
  }

  /**
   * Ends the handling because its worker stops: its message is released, and no attempt is counted.
   */
  public synchronized void stop() {
    stopping = stopping || state == State.RUNNING;
    interrupt();
  }

  /** Cuts the connection of a handler that ignored the interrupt, as JDBC calls do. */
  public synchronized void cut(ConnectionCutter cutter) {
    Connection used = connection;
    if (state == State.TIMED_OUT && used != null) {
      close(used, cutter);
    }
  }

  /** Whatever that throws, the handling goes on to its end. */
  private void close(Connection used, ConnectionCutter by) {
    try {
      by.cut(used);
    } catch (SQLException e) {
      LOG.debug("the connection of {} was closed already: {}", claim(), e.getMessage());
    } catch (Throwable e) {
      LOG.warn("the connection of {} could not be closed", claim(), e);
    }
  }

  /**
   * Takes the settlement away from a handler that does not end. Its transaction, if it has one, can
   * no longer commit.
   *
   * @return whether the caller must settle now
   */
  public synchronized boolean abandon() {
    if (state != State.TIMED_OUT) {
      return false;
    }
    state = State.ABANDONED;
    closeConnection();
    return true;
  }

  /** Its thread will not close it, and the pool waits for it. */
  private void closeConnection() {
    Connection used = connection;
    connection = null;
    if (used != null) {
      close(used, Connection::close);
    }
  }

  /** Whether its timeout has passed and it has not ended yet. */
  public synchronized boolean isOverdue() {
    return state == State.TIMED_OUT;
  }

  /**
   * A new transaction of this handling starts; the first run or a retry.
   *
   * @throws HandlerTimeoutException if its timeout has passed
   */
  synchronized void transactionStarted(Connection used) {
    if (state == State.TIMED_OUT || state == State.ABANDONED) {
      throw new HandlerTimeoutException(allowed);
    }
    start();
    connection = used;
    transactionNanos = System.nanoTime();
    result = null;
    output = Map.of();
    state = State.RUNNING;
  }

  /**
   * The handler's own thread starts to settle a success.
   *
   * @throws HandlerTimeoutException if its timeout had passed before
   */
  synchronized void beginAck() {
    if (state != State.RUNNING) {
      throw new HandlerTimeoutException(allowed);
    }
    state = State.SETTLING;
    handlerNanos = System.nanoTime() - transactionNanos;
  }

  /** The time of the handler in its last transaction; 0 if it did not return in one. */
  synchronized long handlerNanos() {
    return handlerNanos;
  }

  /** The time since its handler has returned; 0 if it did not. */
  synchronized long sinceHandlerNanos() {
    return handlerNanos == 0 ? 0 : System.nanoTime() - transactionNanos - handlerNanos;
  }

  /**
   * The handler's own thread starts to settle a failure.
   *
   * @return false if the watcher settles instead
   */
  synchronized boolean beginFailure() {
    boolean mine = state != State.ABANDONED;
    if (mine) {
      state = State.SETTLING;
    }
    connection = null;
    // The interrupt has served its purpose and must not hit the settlement.
    Thread.interrupted();
    return mine;
  }

  /** The handler sends a statement that may end the transaction, or names a savepoint. */
  synchronized void sendMoreThanRows() {
    sentMoreThanRows = true;
  }

  synchronized boolean sentMoreThanRows() {
    return sentMoreThanRows;
  }

  /** The handler has ended the message's transaction, so the handling must not be repeated. */
  synchronized void leave() {
    left = true;
  }

  synchronized boolean endedTransaction() {
    return left;
  }

  synchronized boolean stopping() {
    return stopping;
  }

  synchronized boolean timedOut() {
    return state == State.TIMED_OUT || state == State.ABANDONED;
  }

  synchronized void end() {
    if (state != State.ABANDONED) {
      state = State.ENDED;
    }
    connection = null;
    Thread.interrupted();
  }
}
