package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.testkit.DeadMessage;
import io.rowqueue.testkit.QueueContents;
import io.rowqueue.testkit.QueuedMessage;
import io.rowqueue.testkit.QueuedMessage.State;
import io.rowqueue.testkit.QueuedMessage.When;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jspecify.annotations.Nullable;

/**
 * The state of a queue in memory: messages, dead letters, workers and a clock that only the test
 * moves. {@link MemoryModule} binds its components. Thread-safe: components hold its monitor while
 * they read or write.
 */
public final class Memory {

  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  final Rules rules;
  final TreeMap<Long, MemoryRow> rows = new TreeMap<>();
  final TreeMap<Long, MemoryDead> dead = new TreeMap<>();
  final TreeMap<String, MemoryWorker> workers = new TreeMap<>();
  final Map<MemoryKeys.Key, MemoryKeys.Held> keys = new HashMap<>();

  /** Topics whose ordering keys skip dead letters. */
  final Set<Topic> steppingOver = new HashSet<>();

  /** Topics that operators have paused. */
  final Set<Topic> paused = new HashSet<>();

  final MemoryBodies bodies = new MemoryBodies(this);

  final MemoryResults results = new MemoryResults(this);

  final MemoryMembers members = new MemoryMembers(this);

  final MemoryLimits limits = new MemoryLimits();
  final MemoryGroups groups = new MemoryGroups(this);
  final MemoryDepths depths = new MemoryDepths(this);
  final MemoryAnswers ownAnswers = new MemoryAnswers(this);

  private final @Nullable MockDataProvider answers;
  private final AtomicLong tickets = new AtomicLong();
  private final Map<Long, MemoryTransaction> shown = new ConcurrentHashMap<>();
  private Instant now = BEGIN;
  private long lastId;
  private long lastBatchId;
  private @Nullable String refused;
  private Runnable check = () -> {};

  /**
   * Creates an empty state.
   *
   * @param answers a database's answers to handlers' SQL; null if there is none
   */
  public Memory(@Nullable MockDataProvider answers) {
    this(answers, new Rules());
  }

  Memory(@Nullable MockDataProvider answers, Rules rules) {
    this.answers = answers;
    this.rules = rules;
  }

  /**
   * A worker's registration.
   *
   * @param alive whether it is not declared dead
   * @param topics its topics
   */
  record MemoryWorker(boolean alive, Instant leaseUntil, Set<Topic> topics) {}

  /** Opens a connection to it, for transactions. */
  public Connection connect() {
    return new MemoryConnection(new MemoryTransaction(this));
  }

  /** Runs {@code work} in a transaction of its own and commits it. */
  synchronized <T> T inOwn(Function<MemoryTransaction, T> work) {
    MemoryTransaction own = new MemoryTransaction(this);
    T made = work.apply(own);
    own.commit();
    return made;
  }

  /** Returns a data source for processes without a worker. */
  public DataSource dataSource() {
    return new FreshConnections(this::connect);
  }

  /** Returns its clock's time. */
  public synchronized Instant now() {
    return now;
  }

  /**
   * Advances its clock.
   *
   * @throws IllegalArgumentException if {@code by} is negative
   */
  public synchronized void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("the clock only moves forward, not by " + by);
    }
    now = now.plus(by).truncatedTo(ChronoUnit.MICROS);
  }

  synchronized long nextId() {
    return ++lastId;
  }

  /** Ids of batches and chains, independent of messages' ids. */
  synchronized long nextBatchId() {
    return ++lastBatchId;
  }

  /** Returns a database's answers; null if there is none. */
  public @Nullable MockDataProvider answers() {
    return answers;
  }

  long newTicket() {
    return tickets.incrementAndGet();
  }

  void showTicket(long ticket, MemoryTransaction transaction) {
    shown.put(ticket, transaction);
  }

  @Nullable MemoryTransaction takeTicket(long ticket) {
    return shown.remove(ticket);
  }

  /** Records the use of an unsupported feature. */
  synchronized void refused(String what) {
    refused = refused == null ? what : refused;
  }

  /** Returns the first unsupported use since the last call; null if there was none. */
  public synchronized @Nullable String takeRefused() {
    String first = refused;
    refused = null;
    return first;
  }

  /**
   * Runs {@code alive} before each action of a claim's owner; it may throw to simulate the owner's
   * death.
   */
  public synchronized void checkingBefore(Runnable alive) {
    check = alive;
  }

  /** Returns the row that {@code claim} holds; null if the claim was lost. */
  @Nullable MemoryRow held(Claim claim) {
    check.run();
    MemoryRow row = rows.get(claim.id().value());
    return row != null && row.deletedBy == null && rules.holds(row, claim) ? row : null;
  }

  /** Releases the row's claim. */
  void release(MemoryRow row, byte state) {
    row.state = state;
    row.lockId = "";
    row.updatedAt = now;
  }

  void remove(MemoryRow row) {
    rows.remove(row.id);
    row.isFirst = false;
  }

  /** Removes the row, as on cancellation. */
  void cancel(MemoryRow row) {
    remove(row);
    members.cancelled(row);
  }

  /** Makes it a dead letter, which blocks its ordering key unless its topic skips dead letters. */
  void deadLetter(MemoryRow row, MemoryDead.Cause cause) {
    if (rules.skips(steppingOver, row.topic) || groups.haveCapacity(row.topic)) {
      row.isFirst = false;
    }
    dead.put(row.id, new MemoryDead(row, cause, now));
    rows.remove(row.id);
    members.dead(row);
  }

  /**
   * Records and rejects the use of an unsupported feature; {@code what} completes "a queue in
   * memory".
   */
  UnsupportedOperationException lacks(String what) {
    String refusal = "a queue in memory " + what + "; test that with @QueueTest";
    refused("unsupported operation: " + refusal);
    return new UnsupportedOperationException(refusal);
  }

  /**
   * Applies cancellation requests for unclaimed messages, drops expired results, and deletes
   * payloads of messages that are gone.
   */
  public synchronized void maintain() {
    List.copyOf(rows.values()).stream()
        .filter(row -> row.request != null && row.waits())
        .forEach(this::cancel);
    results.prune(Integer.MAX_VALUE);
    int unused = bodies.sweepAll(Integer.MAX_VALUE);
  }

  /** Returns how many messages of {@code topic} are available. */
  public synchronized int claimable(Topic topic) {
    return (int)
        rows.values().stream()
            .filter(row -> row.topic.equals(topic) && rules.isClaimable(row))
            .count();
  }

  /** Returns a redelivery of the message of {@code claim}, to run after its deletion. */
  public synchronized Runnable redelivery(Claim claim) {
    MemoryRow row = held(claim);
    return row == null ? () -> {} : () -> putBack(row, claim);
  }

  private synchronized void putBack(MemoryRow gone, Claim claim) {
    if (!rows.containsKey(gone.id)) {
      MemoryRow again =
          new MemoryRow(
              gone.id,
              gone.topic,
              gone.orderingKey,
              now,
              new MemoryRow.Content(gone.payload, gone.headers));
      again.batchId = gone.batchId;
      again.claims = claim.number();
      again.attempts = claim.attempts();
      rows.put(again.id, again);
    }
  }

  /** Returns its contents. */
  public synchronized QueueContents contents() {
    return new QueueContents(
        rows.values().stream().map(this::queued).toList(),
        dead.values().stream().map(this::letter).toList());
  }

  private QueuedMessage queued(MemoryRow row) {
    State state = state(row.state);
    When when =
        state == State.SCHEDULED
            ? new When(Duration.between(row.updatedAt, row.dueAt), row.dueAt)
            : When.NOW;
    int failures = row.failures.size();
    FailedAttempt last = failures == 0 ? null : row.failures.get(failures - 1);
    return new QueuedMessage(
        row.id,
        row.topic.name(),
        state,
        when,
        row.priority,
        row.orderingKey,
        row.headers,
        bodies.payloadOf(row),
        row.attempts,
        last == null ? "" : last.errorClass() + ": " + last.errorMessage());
  }

  private static State state(byte state) {
    return switch (state) {
      case MessageState.AVAILABLE -> State.AVAILABLE;
      case MessageState.CLAIMED -> State.IN_FLIGHT;
      case MessageState.SCHEDULED -> State.SCHEDULED;
      default -> State.BLOCKED;
    };
  }

  private DeadMessage letter(MemoryDead dead) {
    return new DeadMessage(
        dead.row().id,
        dead.row().topic.name(),
        dead.cause().reason(),
        dead.cause().detail(),
        dead.cause().attempts(),
        dead.row().headers,
        bodies.payloadOf(dead.row()));
  }
}
