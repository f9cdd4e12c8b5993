package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.BorrowedConnections.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The worker's connections: one for each handler thread, and a few for the claimer, the lease and
 * maintenance, so that handlers cannot starve the protocol. Except for polls, auto-commit is off
 * and the isolation level is set once per connection, since switching either costs a quarter of the
 * throughput.
 *
 * <p>If the URL names several hosts, all connections, including polls, go to the writable one,
 * since replicas lag behind.
 *
 * <p>With a data source of the application there are no pools: connections are borrowed from it for
 * one transaction each. Thread-safe.
 */
@Singleton
public final class WorkerPools implements AutoCloseable {

  /**
   * For the claimer, the lease, reaping or pruning, and one shared by schedules and the watch that
   * settles for a stuck handler. Four workers with the defaults fit into MySQL's 151 connections.
   */
  private static final int LOOP_CONNECTIONS = 4;

  /** For the claimer, the reaper, operators' requests or schedules, and notifications. */
  private static final int READ_CONNECTIONS = 4;

  /**
   * Handler threads that settle a failure or load a large payload share these, one for every four
   * threads.
   */
  private static final int THREADS_PER_SETTLEMENT = 4;

  /** The most prepared statements that a connection keeps. */
  public static final int CACHED_STATEMENTS = 256;

  private static final String PREFIX = "rowqueue-";

  /** For transactions and reads of the worker itself. */
  private static final Duration SHORT = Duration.ofSeconds(60);

  private static final Duration MARGIN = Duration.ofSeconds(30);

  /** JDBC counts the milliseconds of a wait in an int. */
  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  /** The only protection against a server that vanished without closing the connection. */
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** In a second: as many as the polls of an idle worker. */
  private static final int FEW_READS = 20;

  /**
   * Connections that were not used for so long are closed, but for one of each kind of transaction.
   */
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final WorkerConfig config;
  private final Provider<HandlerRegistry> registry;
  private final WritableHosts hosts;
  private final RecentReads recentReads = new RecentReads();
  private final @Nullable DataSource given;
  private final @Nullable DataSource managed;
  private final BorrowedConnections borrowed = new BorrowedConnections();
  private @Nullable Open open;
  private boolean closed;

  /** Does not connect yet, so that an unused instance can be closed. */
  @Inject
  WorkerPools(
      WorkerConfig config,
      Provider<HandlerRegistry> registry,
      @HandlerConnections Optional<DataSource> managed) {
    this.config = config;
    this.registry = registry;
    this.given = config.database().dataSource();
    this.managed = managed.orElse(null);
    this.hosts = new WritableHosts(config.database().url());
  }

  /**
   * Returns the maximum number of connections of a worker with this many threads, including those
   * outside the pools.
   */
  public static int most(int threads) {
    int shared = 1 + threads / THREADS_PER_SETTLEMENT;
    int lockAndListener = 2;
    return threads + LOOP_CONNECTIONS + READ_CONNECTIONS + 2 * shared + lockAndListener;
  }

  /** Returns the server's dialect. */
  public ServerDialect dialect() {
    return open().dialect;
  }

  /** Transactions of the claimer, the lease, schedules and maintenance. */
  public DataSource protocol() {
    return open().protocol;
  }

  /** Reads without a transaction; auto-commit is on. */
  public DataSource reads() {
    return open().reads;
  }

  /**
   * For reads without a transaction; null while there are few. Each is then a transaction over
   * {@link #protocol}, one statement more, so that an idle worker needs one connection less.
   */
  public @Nullable DataSource frequentReads() {
    return given != null || recentReads.add() > FEW_READS ? reads() : null;
  }

  /** Transactions of the handler threads. */
  public DataSource handlers() {
    return open().handlers;
  }

  /** Returns each pool's usage by name; empty before the first connection. */
  public synchronized Map<String, HikariPoolMXBean> use() {
    Open now = open;
    return now == null || closed
        ? Map.of()
        : now.pools.stream()
            .collect(
                Collectors.toMap(
                    pool -> pool.getPoolName().substring(PREFIX.length()),
                    HikariDataSource::getHikariPoolMXBean));
  }

  /** Whether handlers' transactions end in commit and rollback of the application's data source. */
  public boolean areHandlersManaged() {
    return managed != null;
  }

  /** Whether {@link #connect} opens a connection, and does not borrow one from a pool. */
  public boolean opensConnections() {
    return given == null;
  }

  /**
   * Detects the server's dialect, and fails early with a clear error if the server does not answer.
   */
  private synchronized Open open() {
    if (closed) {
      throw new IllegalStateException("the worker is closed, and its connections with it");
    }
    Open now = open;
    if (now == null) {
      Duration longest = longestWait(registry.get());
      now = given == null ? ownPools(longest) : borrowing(given, longest);
      open = now;
      hosts.onMove(now::evictAll);
    }
    return now;
  }

  private Open ownPools(Duration longest) {
    ServerDialect dialect = askDialect(hosts, config.database());
    int shared = 1 + config.threads() / THREADS_PER_SETTLEMENT;
    HikariDataSource protocol = pool("protocol", LOOP_CONNECTIONS + shared, SHORT, false);
    HikariDataSource reads = pool("reads", READ_CONNECTIONS + shared, SHORT, true);
    if (managed != null) {
      return new Open(
          dialect, protocol, reads, handlersOf(managed, longest), List.of(protocol, reads));
    }
    HikariDataSource handlers = pool("handlers", config.threads(), longest, false);
    return new Open(dialect, protocol, reads, handlers, List.of(handlers, reads, protocol));
  }

  private Open borrowing(DataSource source, Duration longest) {
    ServerDialect dialect = askDialect();
    PoolSizeCheck.check(source, config.threads());
    return new Open(
        dialect,
        borrowed.of(source, Purpose.PROTOCOL, SHORT),
        borrowed.of(source, Purpose.READS, SHORT),
        managed == null
            ? borrowed.of(source, Purpose.HANDLERS, longest)
            : handlersOf(managed, longest),
        List.of());
  }

  private DataSource handlersOf(DataSource source, Duration longest) {
    return borrowed.of(source, Purpose.MANAGED, longest);
  }

  private ServerDialect askDialect() {
    try (Connection connection = connect()) {
      DriverCheck.check(connection);
      return ServerDialect.ask(connection);
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(ConnectFailure.describe(e, config.database()), e);
    }
  }

  /**
   * Closes every connection, including those that wait for an answer. Later requests for a
   * connection fail with an {@link SQLException}.
   */
  synchronized void cut() {
    borrowed.cut();
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

  private static Duration longestWait(HandlerRegistry registry) {
    Duration timeout =
        registry.topics().stream()
            .map(topic -> registry.policy(topic).mostTime())
            .max(Duration::compareTo)
            .orElse(Duration.ofMinutes(5));
    return timeout.compareTo(LONGEST.minus(MARGIN)) < 0 ? timeout.plus(MARGIN) : LONGEST;
  }

  /**
   * {@code longest} limits both sides: the driver's wait for an answer, and how long the server
   * keeps an idle connection, whose locks would otherwise last eight hours.
   */
  private HikariDataSource pool(String name, int size, Duration longest, boolean autoCommit) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName(PREFIX + name);
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(autoCommit ? 0 : 1);
    if (size > pool.getMinimumIdle()) { // otherwise HikariCP warns
      pool.setIdleTimeout(IDLE.toMillis());
    }
    pool.setAutoCommit(autoCommit);
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    pool.setConnectionTimeout(5_000);
    pool.setInitializationFailTimeout(-1);
    pool.setKeepaliveTime(30_000);
    pool.setConnectionInitSql("SET SESSION wait_timeout = " + Math.max(60, longest.toSeconds()));
    pool.setDataSource(hosts.dataSource(() -> properties(config.database(), longest)));
    pool.setExceptionOverride(new ReadOnlyEviction());
    return new HikariDataSource(pool);
  }

  /**
   * Connects once.
   *
   * @throws DatabaseUnavailableException with a clear error, if the database refuses the connection
   */
  public static void check(DatabaseConfig database) {
    askDialect(new WritableHosts(database.url()), database);
  }

  /** Returns a connection outside the pools, with auto-commit on; the caller closes it. */
  public Connection connect() throws SQLException {
    if (given != null) {
      return borrowed.borrow(given, Purpose.READS, ANSWER);
    }
    return connect(hosts, config.database());
  }

  /**
   * Runs {@code moved} each time the writable host changes, so that a component can reopen its own
   * connection there.
   */
  public void onMove(Runnable moved) {
    hosts.onMove(moved);
  }

  /** Returns whether {@code connection} leads to the writable host. */
  public boolean isCurrent(Connection connection) throws SQLException {
    return hosts.isCurrent(connection);
  }

  private static Connection connect(WritableHosts hosts, DatabaseConfig database)
      throws SQLException {
    return hosts.connect(properties(database, ANSWER));
  }

  private static ServerDialect askDialect(WritableHosts hosts, DatabaseConfig database) {
    try (Connection connection = connect(hosts, database)) {
      return ServerDialect.ask(connection);
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(ConnectFailure.describe(e, database), e);
    }
  }

  private static Properties properties(DatabaseConfig database, Duration longestAnswer) {
    return DriverParameters.of(
        database,
        Map.ofEntries(
            Map.entry("socketTimeout", Long.toString(longestAnswer.toMillis())),
            Map.entry("useServerPrepStmts", "true"),
            // Otherwise the driver ignores errors of PREPARE, such as a cluster's conflict: the
            // transaction has been rolled back by then, and would continue without its earlier
            // writes.
            Map.entry("emulateUnsupportedPstmts", "false"),
            // Otherwise the driver asks the server before each write whether the session is
            // read-only.
            Map.entry("readOnlyPropagatesToServer", "false"),
            Map.entry("cachePrepStmts", "true"),
            Map.entry("prepStmtCacheSize", Integer.toString(CACHED_STATEMENTS)),
            // A poll of many topics, and a release of many ordering keys, are long statements.
            Map.entry("prepStmtCacheSqlLimit", "32768")));
  }

  /** Counts reads by the second. */
  private static final class RecentReads {

    private long second = System.nanoTime();
    private int before;
    private int now;

    /** Adds one, and returns the larger count of this second and the one before. */
    synchronized int add() {
      long elapsed = System.nanoTime() - second;
      if (elapsed >= 1_000_000_000L) {
        before = elapsed < 2_000_000_000L ? now : 0;
        now = 0;
        second += elapsed;
      }
      now++;
      return Math.max(before, now);
    }
  }

  private record Open(
      ServerDialect dialect,
      DataSource protocol,
      DataSource reads,
      DataSource handlers,
      List<HikariDataSource> pools) {

    /** In parallel: each may wait 15 s for an unresponsive server. */
    void closeAll() {
      CompletableFuture.allOf(
              pools.stream()
                  .map(pool -> CompletableFuture.runAsync(pool::close, Open::runConcurrently))
                  .toArray(CompletableFuture[]::new))
          .join();
    }

    private static void runConcurrently(Runnable work) {
      new Thread(work, "queue-close").start();
    }

    /** Connections in use are closed when they are returned. */
    void evictAll() {
      pools.forEach(pool -> pool.getHikariPoolMXBean().softEvictConnections());
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
