package io.rowqueue.internal.handle;

import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.progress.ProgressReport;
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
 * One handling while it runs, seen by its own thread and by the one that watches its time. Whoever
 * leaves the state RUNNING or TIMED_OUT first decides who settles, so that two never do.
 * Thread-safe.
 */
public final class Handling {

  private static final Logger LOG = LoggerFactory.getLogger(Handling.class);

  /** How a connection is cut. */
  @FunctionalInterface
  public interface ConnectionCutter {

    /** Ends {@code connection}, which another thread is using. */
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
  private final long startedNanos = System.nanoTime();
  private volatile Map<ClaimKey, ProgressReport> reports = NONE;
  private volatile Map<ClaimKey, String> cancels = Map.of();
  private Duration allowed;
  private State state = State.RUNNING;
  private boolean stopping;
  private boolean left;
  private @Nullable Connection connection;
  private volatile @Nullable HandlerResult result;

  /** Its own thread alone writes it, and most handlers want nothing. */
  private volatile Map<ClaimKey, HandlerOutput> output = Map.of();

  /** One message alone. */
  Handling(Claim claim, HandlerPolicy policy) {
    this(List.of(claim), List.of(), policy);
  }

  /** What is handled at once, and the {@code companions} that share its transaction. */
  Handling(List<Claim> claims, List<Claim> companions, HandlerPolicy policy) {
    this.claims = new CopyOnWriteArrayList<>(claims);
    this.companions = List.copyOf(companions);
    this.policy = policy;
    this.allowed = policy.timeout();
  }

  /** What is handled; of a batch, the first. */
  public Claim claim() {
    return claims.get(0);
  }

  /** Everything that is handled at once: one message, or a batch. */
  public List<Claim> claims() {
    return List.copyOf(claims);
  }

  /** Its handler gave this back. */
  void returned(@Nullable HandlerResult given) {
    result = given;
  }

  /** What the handler of {@code claim} wants enqueued by its ack, to be added to. */
  synchronized HandlerOutput output(Claim claim) {
    if (state != State.RUNNING && state != State.TIMED_OUT) {
      throw new IllegalStateException("the handling is over, and adds nothing more");
    }
    Map<ClaimKey, HandlerOutput> all = new HashMap<>(output);
    HandlerOutput one = all.computeIfAbsent(ClaimKey.of(claim), key -> new HandlerOutput());
    output = all;
    return one;
  }

  /** {@code claim} with what its handler gave back, if that is kept, and wants enqueued. */
  Claim handled(Claim claim) {
    Map<ClaimKey, HandlerOutput> all = output;
    HandlerOutput its = all.isEmpty() ? null : all.get(ClaimKey.of(claim));
    Claim given = result == null && claim.result() == null ? claim : claim.withResult(result);
    FollowUps followUps = its == null ? FollowUps.NOTHING : its.followUps();
    // It may be the second run of a claim whose first one was undone, with what that one wanted.
    return given.followUps().equals(followUps) ? given : given.withFollowUps(followUps);
  }

  /** What was handled before in the same transaction, and waits for its COMMIT. */
  public List<Claim> companions() {
    return companions;
  }

  /** {@code claim} is in its batch, too. */
  void addToBatch(Claim claim) {
    claims.add(claim);
  }

  /** {@code claim} was settled by itself before its batch began. */
  void removeFromBatch(Claim claim) {
    if (claims.size() > 1) {
      claims.remove(claim);
    }
  }

  /** How long it may take, from its begin; grows when its handler asks for more. */
  public synchronized Duration timeout() {
    return allowed;
  }

  /**
   * Lets it run {@code fromNow} from now, within what its binding allows, and never shorter than
   * before.
   *
   * @return how long it may still run
   * @throws HandlerTimeoutException if its time is over already
   * @throws IllegalStateException if its binding allows no extension, or the handler has returned
   */
  synchronized Duration extend(Duration fromNow) {
    Duration longest = policy.longestTimeout();
    if (longest == null) {
      throw new IllegalStateException(
          "the handler of '%s' may not extend its timeout; bind it withLongestTimeout()"
              .formatted(claim().topic()));
    }
    if (timedOut()) {
      throw new HandlerTimeoutException(allowed);
    }
    if (state != State.RUNNING) {
      throw new IllegalStateException("the handling is over, and needs no more time");
    }
    Duration running = Duration.ofNanos(runningNanos());
    Duration output = atMost(longest, running, fromNow);
    allowed = output.compareTo(allowed) > 0 ? output : allowed;
    return allowed.minus(running);
  }

  /** Without a sum that could overflow. */
  private static Duration atMost(Duration longest, Duration running, Duration fromNow) {
    Duration left = longest.minus(running);
    return left.compareTo(fromNow) < 0 ? longest : running.plus(fromNow);
  }

  /**
   * Tells it that {@code by} wants {@code claim} cancelled. Without effect on a handling that
   * returns, or has returned.
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

  /** Who wants {@code claim} cancelled; null if nobody does, as far as is known here. */
  @Nullable String cancelRequestedBy(Claim claim) {
    Map<ClaimKey, String> requested = cancels;
    return requested.isEmpty() ? null : requested.get(ClaimKey.of(claim));
  }

  /** Keeps the last word of each message; most handlings never say one. */
  void report(ProgressReport report) {
    if (policy.grouping().kind() == Grouping.Kind.SHARED_COMMIT) {
      throw new IllegalStateException(
          "the handler of '%s' shares its commit, and is too short for progress"
              .formatted(claim().topic()));
    }
    Map<ClaimKey, ProgressReport> said = reports;
    if (said == NONE) {
      // Its own thread alone reports.
      said = new ConcurrentHashMap<>();
      reports = said;
    }
    said.put(report.claim(), report);
  }

  /** What was said since the last call, by different messages. */
  public List<ProgressReport> takeReports() {
    Map<ClaimKey, ProgressReport> said = reports;
    return said.keySet().stream().map(said::remove).filter(Objects::nonNull).toList();
  }

  /** How long it has been running, measured on this host, in nanoseconds. */
  public long runningNanos() {
    return System.nanoTime() - startedNanos;
  }

  /** Interrupts the handler if its time is over, as it stands now. */
  public synchronized void interruptIfOver() {
    if (runningNanos() >= allowed.toNanos()) {
      interrupt();
    }
  }

  /**
   * Tells the handler that its time is over, by an interrupt. Without effect once it has ended or
   * is being settled.
   */
  public synchronized void interrupt() {
    if (state == State.RUNNING) {
      state = State.TIMED_OUT;
      thread.interrupt();
    }
  }

  /** Ends it because its worker stops: its message is given back, and no attempt is counted. */
  public synchronized void stop() {
    stopping = stopping || state == State.RUNNING;
    interrupt();
  }

  /** Cuts the connection of a handler that did not heed the interrupt, which JDBC never does. */
  public synchronized void cut(ConnectionCutter cutter) {
    Connection used = connection;
    if (state == State.TIMED_OUT && used != null) {
      try {
        cutter.cut(used);
      } catch (SQLException e) {
        LOG.debug("the connection of {} was gone already: {}", claim(), e.getMessage());
      }
    }
  }

  /**
   * Takes the settlement away from a handler that does not end. Its transaction, if it has one, can
   * no longer commit.
   *
   * @return whether the caller now has to settle
   */
  public synchronized boolean abandon() {
    if (state != State.TIMED_OUT) {
      return false;
    }
    state = State.ABANDONED;
    closeConnection();
    return true;
  }

  /** Its thread never will, and the pool waits for it. */
  private void closeConnection() {
    Connection used = connection;
    connection = null;
    if (used != null) {
      try {
        used.close();
      } catch (SQLException e) {
        LOG.debug("the connection of {} was closed already: {}", claim(), e.getMessage());
      }
    }
  }

  /** Whether it was told that its time is over, and has not ended yet. */
  public synchronized boolean isOverdue() {
    return state == State.TIMED_OUT;
  }

  /**
   * A fresh transaction of the same handling begins; the first run or a repetition.
   *
   * @throws HandlerTimeoutException if its time is over
   */
  synchronized void transactionStarted(Connection used) {
    if (state == State.TIMED_OUT || state == State.ABANDONED) {
      throw new HandlerTimeoutException(allowed);
    }
    connection = used;
    result = null;
    output = Map.of();
    state = State.RUNNING;
  }

  /**
   * The handler's own thread begins to settle a success.
   *
   * @throws HandlerTimeoutException if its time was over first
   */
  synchronized void beginAck() {
    if (state != State.RUNNING) {
      throw new HandlerTimeoutException(allowed);
    }
    state = State.SETTLING;
  }

  /**
   * The handler's own thread begins to settle a failure.
   *
   * @return false if the watcher settles instead
   */
  synchronized boolean beginFailure() {
    boolean mine = state != State.ABANDONED;
    if (mine) {
      state = State.SETTLING;
    }
    connection = null;
    // The interrupt has done its work, and would now hit the settlement.
    Thread.interrupted();
    return mine;
  }

  /** Its handler has ended the message's transaction: whatever comes, it is not repeated. */
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
