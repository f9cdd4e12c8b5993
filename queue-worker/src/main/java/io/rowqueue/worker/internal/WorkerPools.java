package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jspecify.annotations.Nullable;

/**
 * The worker's connections: one for each handler thread, and a few for the claimer, the lease and
 * maintenance, so that no handler can starve the protocol. But for looks, auto-commit is off and
 * the isolation set once for each connection, since toggling either costs a quarter of the rate.
 *
 * <p>Where the URL names several hosts, all connections lead to the one that takes writes, looks
 * included, since what is read elsewhere lags behind. Thread-safe.
 */
@Singleton
public final class WorkerPools implements AutoCloseable {

  /**
   * Claimer, lease, reap or prune, and one for two that seldom want it: schedules, and the watch
   * that settles for a stuck handler. Four workers with the defaults fit into MySQL's 151.
   */
  private static final int LOOP_CONNECTIONS = 4;

  /** Claimer, reap, operators' wishes or schedules, and rings. */
  private static final int POLL_CONNECTIONS = 4;

  /**
   * Handler threads that settle a failure, or load a large payload, share these, one for every four
   * threads.
   */
  private static final int THREADS_PER_SETTLEMENT = 4;

  private static final Duration MARGIN = Duration.ofSeconds(30);

  /** Of a server that is gone without a word, nothing else would ever tell. */
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final WorkerConfig config;
  private final Provider<HandlerRegistry> registry;
  private final WritableHosts hosts;
  private @Nullable Open open;
  private boolean closed;

  /** Connects to nothing yet, so that whoever closes it need not know whether it was used. */
  @Inject
  WorkerPools(WorkerConfig config, Provider<HandlerRegistry> registry) {
    this.config = config;
    this.registry = registry;
    this.hosts = new WritableHosts(config.database().url());
  }

  /** The most connections that a worker of so many threads opens, those outside the pools too. */
  public static int most(int threads) {
    int shared = 1 + threads / THREADS_PER_SETTLEMENT;
    int lockAndListener = 2;
    return threads + LOOP_CONNECTIONS + POLL_CONNECTIONS + 2 * shared + lockAndListener;
  }

  /** The dialect of the server. */
  public SQLDialect dialect() {
    return open().dialect;
  }

  /** For the claimer, the lease, schedules and maintenance. */
  public DataSource protocol() {
    return open().protocol;
  }

  /** For reads that need no transaction; auto-commit is on. */
  public DataSource looks() {
    return open().looks;
  }

  /** For handler threads. */
  public DataSource handlers() {
    return open().handlers;
  }

  /** How each pool is used, by its name; empty while nothing is connected. */
  public synchronized Map<String, HikariPoolMXBean> use() {
    Open now = open;
    return now == null || closed
        ? Map.of()
        : Map.of(
            "protocol", now.protocol.getHikariPoolMXBean(),
            "looks", now.looks.getHikariPoolMXBean(),
            "handlers", now.handlers.getHikariPoolMXBean());
  }

  /** Asks the server who it is, and fails early and clearly if it does not answer. */
  private synchronized Open open() {
    if (closed) {
      throw new IllegalStateException("the worker is closed, and its connections with it");
    }
    Open now = open;
    if (now == null) {
      Duration longest = longestTimeout(registry.get());
      SQLDialect dialect = askDialect(hosts, config.database());
      int shared = 1 + config.threads() / THREADS_PER_SETTLEMENT;
      now =
          new Open(
              dialect,
              pool("protocol", LOOP_CONNECTIONS + shared, Duration.ofSeconds(60), false),
              pool("looks", POLL_CONNECTIONS + shared, Duration.ofSeconds(60), true),
              pool("handlers", config.threads(), longest.plus(MARGIN), false));
      open = now;
      hosts.onMove(now::evictAll);
    }
    return now;
  }

  /**
   * Ends every connection, whoever waits for an answer on it, and opens none any more: what asks
   * for one from now on fails with an {@link SQLException}.
   */
  synchronized void cut() {
    Open last = open;
    if (last != null) {
      last.closeAll();
    }
  }

  @Override
  public synchronized void close() {
    cut();
    closed = true;
    open = null;
  }

  private static Duration longestTimeout(HandlerRegistry registry) {
    return registry.topics().stream()
        .map(topic -> registry.policy(topic).mostTime())
        .max(Duration::compareTo)
        .orElse(Duration.ofMinutes(5));
  }

  /**
   * {@code longest} bounds both sides: the driver's wait for an answer, and how long the server
   * keeps a silent connection, whose locks would otherwise stay for eight hours.
   */
  private HikariDataSource pool(String name, int size, Duration longest, boolean autoCommit) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("rowqueue-" + name);
    pool.setMaximumPoolSize(size);
    pool.setAutoCommit(autoCommit);
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    pool.setConnectionTimeout(5_000);
    pool.setInitializationFailTimeout(-1);
    pool.setKeepaliveTime(30_000);
    pool.setConnectionInitSql("SET SESSION wait_timeout = " + Math.max(60, longest.toSeconds()));
    // A look at many topics is long.
    String longestSql = autoCommit ? "32768" : "8192";
    pool.setDataSource(hosts.dataSource(() -> properties(config.database(), longest, longestSql)));
    pool.setExceptionOverride(new ReadOnlyEviction());
    return new HikariDataSource(pool);
  }

  /**
   * Connects once, with a clear error if the database refuses.
   *
   * @throws DatabaseUnavailableException if it does
   */
  public static void check(DatabaseConfig database) {
    askDialect(new WritableHosts(database.url()), database);
  }

  /** A connection outside every pool, with auto-commit on; the caller closes it. */
  public Connection connect() throws SQLException {
    return connect(hosts, config.database());
  }

  /**
   * Has {@code moved} run each time that another host takes the writes. What the worker keeps on a
   * connection of its own belongs on that host.
   */
  public void onMove(Runnable moved) {
    hosts.onMove(moved);
  }

  /** Whether {@code connection} leads to the host that takes the writes. */
  public boolean isCurrent(Connection connection) throws SQLException {
    return hosts.isCurrent(connection);
  }

  private static Connection connect(WritableHosts hosts, DatabaseConfig database)
      throws SQLException {
    return hosts.connect(properties(database, ANSWER, "8192"));
  }

  private static SQLDialect askDialect(WritableHosts hosts, DatabaseConfig database) {
    try (Connection connection = connect(hosts, database)) {
      return ServerDialect.ask(connection);
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(ConnectFailure.describe(e, database), e);
    }
  }

  private static Properties properties(
      DatabaseConfig database, Duration longestAnswer, String longestSql) {
    return DriverParameters.of(
        database,
        Map.of(
            "connectTimeout",
            "5000",
            "socketTimeout",
            Long.toString(longestAnswer.toMillis()),
            "tcpKeepAlive",
            "true",
            "useServerPrepStmts",
            "true",
            // Or the driver swallows whatever a PREPARE answers, and a cluster's conflict with it:
            // the transaction is rolled back by then, and goes on without what it had written.
            "emulateUnsupportedPstmts",
            "false",
            // Or the driver asks the server before each write whether the session is read-only.
            "readOnlyPropagatesToServer",
            "false",
            "cachePrepStmts",
            "true",
            "prepStmtCacheSize",
            "256",
            "prepStmtCacheSqlLimit",
            longestSql));
  }

  private record Open(
      SQLDialect dialect,
      HikariDataSource protocol,
      HikariDataSource looks,
      HikariDataSource handlers) {

    /** At the same time: each may wait for 15 s where the server says nothing. */
    void closeAll() {
      CompletableFuture.allOf(
              Stream.of(handlers, looks, protocol)
                  .map(pool -> CompletableFuture.runAsync(pool::close, Open::runBeside))
                  .toArray(CompletableFuture[]::new))
          .join();
    }

    private static void runBeside(Runnable work) {
      new Thread(work, "queue-close").start();
    }

    /** What is in use is closed when it comes back. */
    void evictAll() {
      Stream.of(protocol, looks, handlers)
          .forEach(pool -> pool.getHikariPoolMXBean().softEvictConnections());
    }
  }

  /**
   * Has a pool give up a connection that leads where no writes are taken. The pool's own checks
   * never would: it is valid. Thread-safe.
   */
  private static final class ReadOnlyEviction implements SQLExceptionOverride {

    @java.lang.Override
    public SQLExceptionOverride.Override adjudicate(SQLException error) {
      return TransientFailures.isReadOnly(error)
          ? SQLExceptionOverride.Override.MUST_EVICT
          : SQLExceptionOverride.Override.CONTINUE_EVICT;
    }
  }
}
