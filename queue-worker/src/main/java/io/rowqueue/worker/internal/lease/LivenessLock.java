package io.rowqueue.worker.internal.lease;

import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.internal.reap.ServerIncarnations;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.WorkerPools;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock in the server, named like the worker, that is free as soon as the worker's process is
 * gone: measured, 7 to 8 ms after a kill -9. Its connection does nothing else, since one that is
 * busy is noticed up to five seconds later, and commits by itself, so that it pins no history.
 * Thread-safe.
 */
final class LivenessLock implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LivenessLock.class);

  private static final int PING_SECONDS = 2;

  /** A session whose network was cut goes by itself; a server that refuses may change its mind. */
  private static final Duration AFTER_TAKEN = Duration.ofSeconds(1);

  private static final Duration AFTER_REFUSAL = Duration.ofMinutes(1);

  /** A session whose network was cut must not hold the lock for eight hours. */
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
   * Whether its connection stands, and leads where the peers look. A ping is no statement, and
   * makes the connection not busy.
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
   * Takes it on a new connection.
   *
   * @return where; null if it cannot be had now, or is not wanted any more, and only the lease
   *     tells that this worker lives
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
        return ServerIncarnations.of(Transactions.dsl(used, pools.dialect()));
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
    try (PreparedStatement lock = used.prepareStatement("SELECT GET_LOCK(?, 0)")) {
      lock.setString(1, lockId.value());
      try (ResultSet row = lock.executeQuery()) {
        return row.next() && row.getInt(1) == 1;
      }
    }
  }

  /** Frees it for good. Idempotent. */
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
