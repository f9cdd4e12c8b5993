package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.BorrowedConnections;
import io.rowqueue.worker.internal.BorrowedConnections.Purpose;
import io.rowqueue.worker.internal.DriverParameters;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard's own connections, so that operators take none from the claimer; or up to two of an
 * application's data source. Connections for reads are read-only and have a statement timeout on
 * the server. Opens connections on demand and closes them after a minute without use. Thread-safe.
 */
@Singleton
class DashboardPool implements AutoCloseable {

  private static final int READS = 4;
  private static final int CHANGES = 4;

  /** Of an application's pool, at once. */
  private static final int BORROWED = 2;

  /**
   * Rates need current table statistics; the server would cache them for a day. Not on borrowed
   * connections, to which nothing restores it.
   */
  private static final String CURRENT = "information_schema_stats_expiry = 0, ";

  private static final String MILLIS = "30000";

  private final DatabaseConfig database;
  private final Duration statementTimeout;
  private final ReentrantLock connecting = new ReentrantLock();
  private @Nullable Open open;
  private volatile boolean closed;

  @Inject
  DashboardPool(DashboardConfig config, WorkerConfig worker) {
    DatabaseConfig own = config.database();
    this.database = own == null ? worker.database() : own;
    this.statementTimeout = config.statementTimeout();
  }

  /** Returns the account, for messages; empty if the URL names it. */
  String account() {
    return database.user();
  }

  /** Returns the server's timeout for reads. */
  Duration statementTimeout() {
    return statementTimeout;
  }

  /**
   * Returns the transactions for reads and changes.
   *
   * @throws DatabaseUnavailableException if the database cannot be reached, or the pool is closed
   */
  Transactions transactions() {
    connecting.lock();
    try {
      checkOpen();
      Open now = open;
      if (now == null) {
        now = connect();
        open = now;
      }
      return now.transactions;
    } finally {
      connecting.unlock();
      if (closed) {
        close();
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new DatabaseUnavailableException(
          "the dashboard is closed", new SQLException("its worker ends"));
    }
  }

  /**
   * Returns a doctor with connections of its own, so that its checks do not wait for pages.
   *
   * @throws DatabaseUnavailableException like {@link #transactions}
   */
  Doctor doctor(DoctorSettings settings) {
    ServerDialect dialect = transactions().dialect();
    DataSource source = database.dataSource();
    DataSource own =
        source == null
            ? new WritableHosts(database.url()).dataSource(this::properties)
            : new BorrowedConnections(BORROWED)
                .of(source, Purpose.READS, Duration.ofMillis(Long.parseLong(MILLIS)));
    return new Doctor(own, dialect, settings);
  }

  private Open connect() {
    DataSource source = database.dataSource();
    return source == null ? connectOwn() : borrow(source);
  }

  private Open borrow(DataSource source) {
    BorrowedConnections borrowed = new BorrowedConnections(BORROWED);
    Duration longest = Duration.ofMillis(Long.parseLong(MILLIS));
    ServerDialect dialect = Transactions.on(source).dialect();
    DataSource reads =
        new FreshConnections(
            () -> bounded(borrowed.borrow(source, Purpose.READS, longest), dialect, ""));
    DataSource changes = borrowed.of(source, Purpose.PROTOCOL, longest);
    return new Open(
        new Transactions(changes, dialect, TransactionProbe.NONE).readingOver(() -> reads),
        borrowed::cut);
  }

  private Open connectOwn() {
    WritableHosts hosts = new WritableHosts(database.url());
    ServerDialect dialect = askDialect(hosts);
    HikariDataSource reads = pool("dashboard-reads", READS, true, between(hosts, dialect));
    HikariDataSource changes =
        pool("dashboard-changes", CHANGES, false, hosts.dataSource(this::properties));
    hosts.onMove(() -> reads.getHikariPoolMXBean().softEvictConnections());
    hosts.onMove(() -> changes.getHikariPoolMXBean().softEvictConnections());
    return new Open(
        new Transactions(changes, dialect, TransactionProbe.NONE).readingOver(() -> reads),
        () -> {
          reads.close();
          changes.close();
        });
  }

  private ServerDialect askDialect(WritableHosts hosts) {
    try (Connection connection = hosts.connect(properties())) {
      return ServerDialect.ask(connection);
    } catch (SQLException e) {
      throw new DatabaseUnavailableException(
          "the dashboard cannot reach the database: " + e.getMessage(), e);
    }
  }

  private DataSource between(WritableHosts hosts, ServerDialect dialect) {
    DataSource fresh = hosts.dataSource(this::properties);
    return new FreshConnections(() -> bounded(fresh.getConnection(), dialect, CURRENT));
  }

  private Connection bounded(Connection connection, ServerDialect dialect, String more)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (dialect == ServerDialect.MARIADB) {
        BigDecimal seconds = BigDecimal.valueOf(statementTimeout.toMillis(), 3);
        statement.execute("SET SESSION max_statement_time = " + seconds);
      } else {
        statement.execute(
            "SET SESSION " + more + "max_execution_time = " + statementTimeout.toMillis());
      }
      statement.execute("SET SESSION TRANSACTION READ ONLY");
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static HikariDataSource pool(
      String name, int size, boolean autoCommit, DataSource fresh) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName("rowqueue-" + name);
    pool.setMaximumPoolSize(size);
    pool.setMinimumIdle(0);
    pool.setIdleTimeout(60_000);
    pool.setAutoCommit(autoCommit);
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    pool.setConnectionTimeout(5_000);
    pool.setInitializationFailTimeout(-1);
    pool.setDataSource(fresh);
    return new HikariDataSource(pool);
  }

  private Properties properties() {
    return DriverParameters.of(
        database,
        Map.of(
            "socketTimeout",
            MILLIS,
            "useServerPrepStmts",
            "true",
            "emulateUnsupportedPstmts",
            "false",
            "readOnlyPropagatesToServer",
            "false"));
  }

  /** Does not wait for a server that does not answer: the thread that connects closes later. */
  @Override
  public void close() {
    closed = true;
    if (connecting.tryLock()) {
      try {
        Open last = open;
        open = null;
        if (last != null) {
          last.end.run();
        }
      } finally {
        connecting.unlock();
      }
    }
  }

  private record Open(Transactions transactions, Runnable end) {}
}
