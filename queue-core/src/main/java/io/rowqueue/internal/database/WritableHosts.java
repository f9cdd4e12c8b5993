package io.rowqueue.internal.database;

import com.mysql.cj.conf.ConnectionUrl;
import com.mysql.cj.conf.HostInfo;
import com.mysql.cj.jdbc.JdbcConnection;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Why the driver's own fail-over is not enough (measured with Connector/J 26.10 on Group
 * Replication): after the first host has died it takes the next live one in list order, whatever its
 * role, and stays there. A secondary refuses every write with 1290, and pools consider its
 * connections valid.
 *
 * So the hosts come from the driver's own parsing of the URL, the role of each is queried, and a
 * connection leads to one host only. All connections lead to the same host, even if several accept
 * writes: a commit is visible to other connections of its host at once, and on another host some
 * time later.
 */
/**
 * Opens connections to the writable host among those in a URL: {@code
 * jdbc:mysql://n1:3306,n2:3306,n3:3306/app}, with hosts in every form that the driver supports. If
 * the URL contains one host, or one of the driver's own modes such as {@code
 * jdbc:mysql:loadbalance://}, the driver connects as usual, without a query for the role. Needs
 * MySQL's driver. Thread-safe.
 *
 * <p>A pool keeps connections to a host that has lost its role. With {@link #dataSource} below a
 * pool, the pool must evict connections whose errors {@link TransientFailures#isReadOnly}
 * recognizes, and all idle ones {@link #onMove}.
 */
public final class WritableHosts {

  private static final Logger LOG = LoggerFactory.getLogger(WritableHosts.class);

  /** MySQL's super_read_only implies it. */
  private static final String IS_READ_ONLY = "SELECT @@read_only";

  /** Parts that the URL omits, including the host, are taken from the properties. */
  private static final String URL_OF_PROPERTIES = "jdbc:mysql:///";

  private static final Set<String> NO = Set.of("0", "OFF");

  private static final Retry PATIENCE =
      Retry.of(
          "connect",
          RetryConfig.custom()
              .maxAttempts(120)
              .waitDuration(Duration.ofMillis(250))
              .retryOnException(TransientFailures::isTransient)
              .build());

  private final String url;
  private final Set<String> silent = ConcurrentHashMap.newKeySet();
  private final List<Runnable> onMove = new CopyOnWriteArrayList<>();
  private @Nullable String current;

  /** Does not connect yet. */
  public WritableHosts(String url) {
    this.url = url;
  }

  /**
   * A new connection with {@link SessionSettings}, which the caller closes.
   *
   * @param properties account and settings, as for {@link DriverManager}
   * @throws SQLException as {@link #open} does
   */
  public Connection connect(Properties properties) throws SQLException {
    Connection connection = open(properties);
    try {
      SessionSettings.applyToNew(connection);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * A new connection with the server's own settings. Tries the host that was writable the last time
   * first, and hosts that did not respond last.
   *
   * @param properties account and settings, as for {@link DriverManager}
   * @throws SQLTransientConnectionException if some host responds and none is writable at the
   *     moment
   * @throws SQLException if no host can be reached, or the driver does not accept the URL
   */
  public Connection open(Properties properties) throws SQLException {
    List<HostInfo> hosts = hosts(properties);
    return hosts.size() < 2
        ? DriverManager.getConnection(url, properties)
        : connectToWritable(hosts);
  }

  /**
   * Connections for a pool. Each is tried for up to 30 s, four times a second: a pool itself waits
   * longer after each failure (HikariCP up to five seconds), and that would delay the first
   * connection after a host is writable again.
   *
   * @param properties called for each connection: a password may have changed
   */
  public DataSource dataSource(Supplier<Properties> properties) {
    return new FreshConnections(() -> connectPatiently(properties));
  }

  private Connection connectPatiently(Supplier<Properties> properties) throws SQLException {
    try {
      return PATIENCE.executeCallable(() -> connect(properties.get()));
    } catch (SQLException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new SQLException(e);
    }
  }

  /**
   * Registers {@code moved}, which runs each time another host becomes the writable one. It runs on
   * the thread that detected the change; connections to the previous host are useless by then.
   */
  public void onMove(Runnable moved) {
    onMove.add(moved);
  }

  /** Whether {@code connection} leads to the host that was writable the last time. */
  public boolean isCurrent(Connection connection) throws SQLException {
    String host = currentHost();
    return host == null || host.equals(connection.unwrap(JdbcConnection.class).getHostPortPair());
  }

  private synchronized @Nullable String currentHost() {
    return current;
  }

  /** The hosts to choose from; empty if the driver should connect by itself. */
  private List<HostInfo> hosts(Properties properties) {
    try {
      ConnectionUrl parsed = ConnectionUrl.getConnectionUrlInstance(url, properties);
      return parsed.getType() == ConnectionUrl.Type.FAILOVER_CONNECTION
          ? parsed.getHostsList()
          : List.of();
    } catch (RuntimeException e) {
      // The driver will report the invalid URL itself.
      return List.of();
    }
  }

  private Connection connectToWritable(List<HostInfo> hosts) throws SQLException {
    List<SQLException> failures = new ArrayList<>();
    for (HostInfo host : inOrder(hosts)) {
      try {
        Connection connection = connect(host);
        if (connection != null) {
          leadsTo(host.getHostPortPair());
          return connection;
        }
      } catch (SQLException e) {
        silent.add(host.getHostPortPair());
        failures.add(e);
      }
    }
    throw refusal(hosts, failures);
  }

  /**
   * The current host first, then those that respond in the URL's order; hosts that do not respond
   * cost a timeout.
   */
  private List<HostInfo> inOrder(List<HostInfo> hosts) {
    String first = currentHost();
    return hosts.stream()
        .sorted(
            Comparator.comparing((HostInfo host) -> silent.contains(host.getHostPortPair()))
                .thenComparing(host -> !host.getHostPortPair().equals(first)))
        .toList();
  }

  /** Null if the host is not writable now. */
  private @Nullable Connection connect(HostInfo host) throws SQLException {
    Connection connection =
        DriverManager.getConnection(URL_OF_PROPERTIES, host.exposeAsProperties());
    boolean used = false;
    try {
      used = takesWrites(connection);
      silent.remove(host.getHostPortPair());
      return used ? connection : null;
    } finally {
      if (!used) {
        connection.close();
      }
    }
  }

  private static boolean takesWrites(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(IS_READ_ONLY)) {
      return row.next() && NO.contains(row.getString(1));
    }
  }

  private void leadsTo(String host) {
    String before;
    synchronized (this) {
      before = current;
      current = host;
      if (before == null || before.equals(host)) {
        return;
      }
    }
    LOG.info("{} is the writable host now, {} no longer is", host, before);
    onMove.forEach(Runnable::run);
  }

  private static SQLException refusal(List<HostInfo> hosts, List<SQLException> failures) {
    if (failures.size() == hosts.size()) {
      SQLException first = failures.get(0);
      failures.stream().skip(1).forEach(first::addSuppressed);
      return first;
    }
    SQLException none =
        new SQLTransientConnectionException(
            "none of %s is writable at the moment; %d of them cannot be reached"
                .formatted(
                    hosts.stream().map(HostInfo::getHostPortPair).collect(Collectors.joining(", ")),
                    failures.size()),
            "08004");
    failures.forEach(none::addSuppressed);
    return none;
  }
}
