package io.rowqueue.internal.result;

import io.rowqueue.DeadLetterException;
import io.rowqueue.MessageId;
import io.rowqueue.ResultUnavailableException;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.result.ResultWaits.ResultState;
import io.rowqueue.internal.text.FailureText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All waits of a process, and the one thread that polls for them: when a wait begins, when a
 * notification has arrived, and once a second as long as there are waits. Thread-safe.
 */
final class PendingResults {

  private static final Logger LOG = LoggerFactory.getLogger(PendingResults.class);

  private static final long POLL_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  /** A second poll finds a result that is committed while the listener is between two sleeps. */
  private static final long AGAIN_NANOS = Duration.ofMillis(20).toNanos();

  private static final int MOST_IDS = 500;

  private final ResultReader polling;
  private final List<PendingResult> waits = new ArrayList<>();
  private boolean raised;
  private boolean closed;
  private long againNanos;
  private boolean again;

  /** Only used by the polling thread. */
  private boolean failing;

  PendingResults(ResultReader polling) {
    this.polling = polling;
  }

  /** Begins a wait. */
  synchronized PendingResult await(MessageId id) {
    checkOpen();
    PendingResult wait = new PendingResult(id, System.nanoTime());
    waits.add(wait);
    raise();
    return wait;
  }

  synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException("these Results are closed");
    }
  }

  synchronized void notified() {
    again = true;
    againNanos = System.nanoTime() + AGAIN_NANOS;
    raise();
  }

  private synchronized void raise() {
    raised = true;
    notifyAll();
  }

  synchronized boolean isAwaiting() {
    return !waits.isEmpty();
  }

  /** Polls until it is closed; never throws. */
  void pollUntilClosed() {
    while (awaitNextPoll()) {
      poll();
    }
  }

  /** Returns when the next poll is due; false if it is closed. */
  private synchronized boolean awaitNextPoll() {
    long next = System.nanoTime() + POLL_EVERY_NANOS;
    try {
      while (!closed && !raised && !isDue(next)) {
        long nanos = Math.min(next, again ? againNanos : next) - System.nanoTime();
        if (waits.isEmpty()) {
          wait();
        } else {
          TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("the thread that polls for results was interrupted; only close() ends it");
    }
    if (again && !raised) {
      again = false;
    }
    raised = false;
    return !closed;
  }

  private boolean isDue(long next) {
    long now = System.nanoTime();
    return !waits.isEmpty() && (now - next >= 0 || (again && now - againNanos >= 0));
  }

  private void poll() {
    try {
      for (List<PendingResult> some : parts(open())) {
        Set<Long> ids = new HashSet<>();
        some.forEach(wait -> ids.add(wait.id().value()));
        Map<Long, ResultState> found = polling.find(ids);
        long now = System.nanoTime();
        some.forEach(wait -> wait.found(found.get(wait.id().value()), now));
      }
      forgetEnded();
      failing = false;
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable failure) {
    if (failing) {
      LOG.debug("polling for awaited results failed again", failure);
    } else {
      failing = true;
      LOG.warn(
          "polling for awaited results failed; it is repeated every second: {}",
          FailureText.of(failure));
    }
  }

  private synchronized List<PendingResult> open() {
    forgetEnded();
    return List.copyOf(waits);
  }

  /** Removes waits that have ended and waits whose callers have given up. */
  private synchronized void forgetEnded() {
    waits.removeIf(wait -> wait.future().isDone());
  }

  private static List<List<PendingResult>> parts(List<PendingResult> all) {
    List<List<PendingResult>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MOST_IDS) {
      parts.add(all.subList(from, Math.min(all.size(), from + MOST_IDS)));
    }
    return parts;
  }

  /** Ends every wait by a {@link CancellationException}. A poll that is running is the last. */
  synchronized void close() {
    closed = true;
    waits.forEach(wait -> wait.future().cancel(false));
    waits.clear();
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /**
   * One wait for the result of one message. An id that is in no table may be one that this server
   * does not have yet: its node lags, or the enqueuing transaction has not committed. So a missing
   * id counts only after two polls with some time between them, and an id that was never seen only
   * some time after the wait began. Polls come from one thread; the future may be used by any.
   */
  static final class PendingResult {

    private static final long APART_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long UNSEEN_NANOS = Duration.ofSeconds(10).toNanos();

    private final MessageId id;
    private final long begunNanos;
    private final CompletableFuture<ResultState.Settled> future = new CompletableFuture<>();
    private boolean seen;
    private @Nullable Long nowhereNanos;

    PendingResult(MessageId id, long nowNanos) {
      this.id = id;
      this.begunNanos = nowNanos;
    }

    MessageId id() {
      return id;
    }

    CompletableFuture<ResultState.Settled> future() {
      return future;
    }

    /** A poll at {@code nowNanos} found it at {@code place}; null if it is in no table. */
    void found(@Nullable ResultState place, long nowNanos) {
      if (place == null) {
        nowhere(nowNanos);
        return;
      }
      seen = true;
      nowhereNanos = null;
      if (place instanceof ResultState.Settled settled) {
        future.complete(settled);
      } else if (place instanceof ResultState.Dead dead) {
        future.completeExceptionally(new DeadLetterException(id, dead.reason(), dead.detail()));
      }
    }

    private void nowhere(long nowNanos) {
      Long since = nowhereNanos;
      if (since == null) {
        nowhereNanos = nowNanos;
      } else if (nowNanos - since >= APART_NANOS
          && (seen || nowNanos - begunNanos >= UNSEEN_NANOS)) {
        future.completeExceptionally(new ResultUnavailableException(id));
      }
    }
  }

  /** Looks up awaited messages: all three tables by primary key, in one snapshot, without locks. */
  static final class ResultReader {

    private static final String RESULT = "result";
    private static final String DEAD = "dead";

    /** One statement and so one snapshot: a message is in exactly one of the tables. */
    private static final String FIND =
        "SELECT queue_result.message_id, 'result', queue_result.topic, queue_result.headers,"
            + " queue_result.content FROM queue_result FORCE INDEX (PRIMARY) WHERE"
            + " queue_result.message_id IN (%1$s) UNION ALL SELECT queue_dead_letter.id, 'dead',"
            + " queue_dead_letter.reason, queue_dead_letter.detail, NULL FROM queue_dead_letter"
            + " FORCE INDEX (PRIMARY) WHERE queue_dead_letter.id IN (%1$s) UNION ALL SELECT"
            + " queue_message.id, 'queue', NULL, NULL, NULL FROM queue_message FORCE INDEX"
            + " (PRIMARY) WHERE queue_message.id IN (%1$s)"
            + SessionSettings.ALL_ROWS;

    private final DataSource dataSource;

    ResultReader(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /**
     * The state of each of {@code ids}; ids that are in no table are not in the map.
     *
     * @throws SQLException if the query fails
     */
    Map<Long, ResultState> find(Collection<Long> ids) throws SQLException {
      try (Connection connection = dataSource.getConnection()) {
        return AutoCommitSession.read(connection, read -> find(read, ids));
      }
    }

    private static Map<Long, ResultState> find(Connection connection, Collection<Long> ids)
        throws SQLException {
      List<Long> sorted = RenderedStatement.padded(ids.stream().sorted().toList());
      String sql = FIND.formatted(Jdbc.marks(sorted.size()));
      Map<Long, ResultState> found = new HashMap<>();
      for (Map.Entry<Long, ResultState> one :
          Jdbc.rows(
              connection,
              sql,
              row -> Map.entry(row.getLong(1), whereabouts(row)),
              sorted,
              sorted,
              sorted)) {
        found.put(one.getKey(), one.getValue());
      }
      return found;
    }

    private static ResultState whereabouts(ResultSet row) throws SQLException {
      return switch (row.getString(2)) {
        case RESULT ->
            new ResultState.Settled(new Topic(row.getString(3)), row.getString(4), row.getBytes(5));
        case DEAD -> new ResultState.Dead(row.getString(3), row.getString(4));
        default -> new ResultState.InQueue();
      };
    }
  }
}
