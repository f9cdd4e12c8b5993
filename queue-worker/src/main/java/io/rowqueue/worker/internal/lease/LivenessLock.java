package io.rowqueue.worker.internal.lease;

import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A named lock (GET_LOCK) on the server that is released as soon as the worker's process is gone:
 * measured, 7 to 8 ms after kill -9. Its connection is otherwise idle, since the server notices the
 * loss of a busy one up to five seconds later, and uses auto-commit, so that it holds no snapshot.
 * Thread-safe.
 */
final class LivenessLock implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LivenessLock.class);

  private static final int PING_SECONDS = 2;

  /** A session that lost its network ends by itself; a server that refuses may recover. */
  private static final Duration AFTER_TAKEN = Duration.ofSeconds(1);

  private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

  /** A session that lost its network must not hold the lock for eight hours. */
  private static final String SHORT_LIFE = "SET SESSION wait_timeout = 60";

  private final WorkerPools pools;
  private final LockId lockId;
  private @Nullable Connection connection;
  private boolean refused;
  private long notBeforeNanos = System.nanoTime();
  private boolean ended;

  LivenessLock(WorkerPools pools, LockId lockId) {
    this.pools = pools;
    this.lockId = lockId;
  }

  /**
   * Returns whether its connection is open and on the writable server. A ping is not a statement,
   * so it does not make the connection busy.
   */
  synchronized boolean held() {
    Connection used = connection;
    try {
      return used != null && pools.isCurrent(used) && used.isValid(PING_SECONDS);
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Acquires it on a new connection.
   *
   * @return its server; null if it cannot be acquired now, or the worker stops, so that only the
   *     lease shows that this worker is alive
   */
  synchronized @Nullable ServerIncarnation take() {
    release();
    if (ended || System.nanoTime() - notBeforeNanos < 0) {
      return null;
    }
    try {
      Connection used = pools.connect();
      connection = used;
      if (lock(used)) {
        refused = false;
        return ServerIncarnation.of(JooqSettings.dsl(used, pools.dialect()));
      }
      refused("an old session of this worker still holds it on the server", AFTER_TAKEN);
    } catch (SQLException | org.jooq.exception.DataAccessException e) {
      Duration pause = TransientFailures.isTransient(e) ? Duration.ZERO : AFTER_REFUSAL;
      refused(FailureText.of(e), pause);
    }
    return null;
  }

  private void refused(String why, Duration pause) {
    release();
    notBeforeNanos = System.nanoTime() + pause.toNanos();
    if (!refused) {
      refused = true;
      LOG.warn(
          "worker {} does not hold its liveness lock ({}); until it does, only its lease shows its"
              + " peers that it is alive",
          lockId,
          why);
    }
  }

  private boolean lock(Connection used) throws SQLException {
    try (Statement statement = used.createStatement()) {
      statement.execute(SHORT_LIFE);
    }
    return Jdbc.rows(used, "SELECT GET_LOCK(?, 0)", row -> row.getInt(1), lockId.value())
        .contains(1);
  }

  /** Releases it permanently. Idempotent. */
  @Override
  public synchronized void close() {
    ended = true;
    release();
  }

  private void release() {
    Connection used = connection;
    connection = null;
    if (used != null) {
      try {
        used.close();
      } catch (SQLException e) {
        LOG.debug("the lock's connection was already closed: {}", e.getMessage());
      }
    }
  }
}
