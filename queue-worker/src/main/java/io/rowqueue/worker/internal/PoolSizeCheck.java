package io.rowqueue.worker.internal;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.internal.text.Humanize;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that a pool of the application has enough connections for a worker: otherwise handlers and
 * the worker's own transactions would wait for each other, and the lease could expire.
 */
public final class PoolSizeCheck {

  private static final Logger LOG = LoggerFactory.getLogger(PoolSizeCheck.class);

  /** The liveness lock and the listener keep theirs; two are for transactions of the worker. */
  public static final int IN_ADDITION_TO_THREADS = 4;

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private PoolSizeCheck() {}

  /**
   * Asks HikariCP for its limit. Any other data source is asked for the connections, all at once.
   *
   * @throws WorkerStartException if there are too few for {@code threads}
   */
  static void check(DataSource source, int threads) {
    int needed = threads + IN_ADDITION_TO_THREADS;
    Integer limit = limit(source);
    int found = limit == null ? Trial.of(source, needed) : limit;
    if (found < needed) {
      throw new WorkerStartException(
          "a worker with %s needs %d connections, in addition to the application's own, and the data source has %d: raise its maximum pool size%s"
              .formatted(Humanize.count(threads, "thread"), needed, found, orLower(found)),
          null);
    }
  }

  private static String orLower(int found) {
    int most = found - IN_ADDITION_TO_THREADS;
    return most < 1 ? "" : ", or lower the worker's threads to %d or fewer".formatted(most);
  }

  private static @Nullable Integer limit(DataSource source) {
    try {
      return source.isWrapperFor(HikariDataSource.class)
          ? source.unwrap(HikariDataSource.class).getMaximumPoolSize()
          : null;
    } catch (SQLException e) {
      LOG.debug("the data source cannot be unwrapped: {}", e.getMessage());
      return null;
    }
  }

  /** Takes connections on a thread of its own, since a pool may wait without a limit. */
  private static final class Trial implements Runnable {

    private final DataSource source;
    private final int wanted;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Connection> held = new ArrayList<>();
    private boolean abandoned;

    private Trial(DataSource source, int wanted) {
      this.source = source;
      this.wanted = wanted;
    }

    /** Returns how many connections there are, up to {@code wanted}. */
    static int of(DataSource source, int wanted) {
      Trial trial = new Trial(source, wanted);
      Thread thread = new Thread(trial, "queue-pool-size");
      thread.setDaemon(true);
      thread.start();
      try {
        if (!trial.over.await(LONGEST.toMillis(), TimeUnit.MILLISECONDS)) {
          LOG.debug("the data source gave no further connection within {}", LONGEST);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return trial.end();
    }

    @Override
    public void run() {
      try {
        boolean more = true;
        while (more) {
          more = keep(source.getConnection());
        }
      } catch (SQLException | RuntimeException e) {
        LOG.debug("the data source gave no further connection: {}", e.getMessage());
      } finally {
        over.countDown();
      }
    }

    private synchronized boolean keep(Connection connection) {
      held.add(connection);
      if (abandoned) {
        closeAll();
      }
      return !abandoned && held.size() < wanted;
    }

    private synchronized int end() {
      abandoned = true;
      int found = held.size();
      closeAll();
      return found;
    }

    private void closeAll() {
      for (Connection connection : held) {
        try {
          connection.close();
        } catch (SQLException e) {
          LOG.debug("a connection could not be closed: {}", e.getMessage());
        }
      }
      held.clear();
    }
  }
}
