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
 * Replication): after the first host has died it takes the next live one in list order, asks nobody
 * for its role, and stays there. A secondary refuses every write with 1290, and its connections are
 * valid to every pool that asks.
 *
 * So the hosts come from the driver's own reading of the URL, each is asked for its role, and a
 * connection leads to one host only. All connections lead to the same one, also where several take
 * writes: what one connection has committed, another one on the same host sees at once, and on
 * another host some time later.
 */
/**
 * Opens connections to the host that takes writes, of those that a URL names: {@code
 * jdbc:mysql://n1:3306,n2:3306,n3:3306/app}, with hosts in every form that the driver takes. Where
 * the URL names one host, or one of the driver's own modes such as {@code
 * jdbc:mysql:loadbalance://}, the driver connects as ever, and nobody is asked. Needs MySQL's
 * driver. Thread-safe.
 *
 * <p>A pool keeps connections to a host that has lost its role meanwhile. Whoever uses one with
 * {@link #dataSource} underneath has it evict those whose errors {@link
 * TransientFailures#isReadOnly} recognizes, and all that are idle {@link #onMove}.
 */
public final class WritableHosts {

  private static final Logger LOG = LoggerFactory.getLogger(WritableHosts.class);

  /** MySQL's super_read_only implies it. */
  private static final String IS_READ_ONLY = "SELECT @@read_only";

  /** What the URL leaves out, host included, is taken from the properties. */
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

  /** Connects to nothing yet. */
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
      SessionSettings.apply(connection);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /**
   * A new connection as the server gives it. Asks the host that took writes the last time first,
   * and last whoever did not answer.
   *
   * @param properties account and settings, as for {@link DriverManager}
   * @throws SQLTransientConnectionException if some host answers and none takes writes just now
   * @throws SQLException if no host can be reached, or the driver does not take the URL
   */
  public Connection open(Properties properties) throws SQLException {
    List<HostInfo> hosts = hosts(properties);
    return hosts.size() < 2
        ? DriverManager.getConnection(url, properties)
        : connectToWritable(hosts);
  }

  /**
   * Connections for a pool to keep. Each is tried for up to 30 s, four times a second: left to
   * itself, a pool waits longer after each failure (HikariCP up to five seconds), and so long it
   * would wait once a host takes writes again.
   *
   * @param properties asked for each connection: a password may have changed
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
   * Has {@code moved} run each time that another host takes the writes. It runs on the thread that
   * found out, and connections to the host before are of no use any more.
   */
  public void onMove(Runnable moved) {
    onMove.add(moved);
  }

  /** Whether {@code connection} leads to the host that took writes the last time. */
  public boolean isCurrent(Connection connection) throws SQLException {
    String host = currentHost();
    return host == null || host.equals(connection.unwrap(JdbcConnection.class).getHostPortPair());
  }

  private synchronized @Nullable String currentHost() {
    return current;
  }

  /** Those to choose from; none where the driver is to connect by itself. */
  private List<HostInfo> hosts(Properties properties) {
    try {
      ConnectionUrl parsed = ConnectionUrl.getConnectionUrlInstance(url, properties);
      return parsed.getType() == ConnectionUrl.Type.FAILOVER_CONNECTION
          ? parsed.getHostsList()
          : List.of();
    } catch (RuntimeException e) {
      // The driver says itself what it does not like.
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

  /** The current one first; those that answer in the URL's order; the silent cost a timeout. */
  private List<HostInfo> inOrder(List<HostInfo> hosts) {
    String first = currentHost();
    return hosts.stream()
        .sorted(
            Comparator.comparing((HostInfo host) -> silent.contains(host.getHostPortPair()))
                .thenComparing(host -> !host.getHostPortPair().equals(first)))
        .toList();
  }

  /** Null if the host takes no writes now. */
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
    LOG.info("{} takes the writes now, and {} no longer", host, before);
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
            "none of %s takes writes just now; %d of them cannot be reached"
                .formatted(
                    hosts.stream().map(HostInfo::getHostPortPair).collect(Collectors.joining(", ")),
                    failures.size()),
            "08004");
    failures.forEach(none::addSuppressed);
    return none;
  }
}
