package io.rowqueue.worker;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.internal.dashboard.DashboardException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a worker shows its dashboard.
 *
 * @param credentials who is let in, asked for each request, since a file's may change; null for
 *     whoever reaches the port
 * @param database the account that it reads and changes with; null for the worker's own
 * @param statementTimeout after how long the server ends a statement that reads for it, to the
 *     millisecond; at most a minute
 */
public record DashboardConfig(
    @Nullable Supplier<Credentials> credentials,
    @Nullable DatabaseConfig database,
    Duration statementTimeout) {

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Checks the timeout. */
  public DashboardConfig {
    if (statementTimeout.toMillis() < 1 || statementTimeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "dashboard-statement-timeout must lie between 1 ms and %s, not %s"
              .formatted(Humanize.duration(LONGEST), Humanize.duration(statementTimeout)));
    }
  }

  /** For whoever reaches the port, with the worker's own account; no read takes over 3 s. */
  public static DashboardConfig open() {
    return new DashboardConfig(null, null, Duration.ofSeconds(3));
  }

  /**
   * Refuses to be shown on {@code admin}'s address to whoever comes, unless that is the own host.
   *
   * @throws DashboardException if it would be
   */
  public void check(AdminConfig admin) {
    if (credentials == null && !isLoopback(admin.host())) {
      throw new DashboardException(
          "the dashboard needs authentication on %s; give --dashboard-token-file or --dashboard-users-file, or leave out --admin-host"
              .formatted(admin.host()));
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The same for those who know something. */
  public DashboardConfig withCredentials(Supplier<Credentials> value) {
    return new DashboardConfig(value, database, statementTimeout);
  }

  /** The same with an account of its own. */
  public DashboardConfig withDatabase(DatabaseConfig value) {
    return new DashboardConfig(credentials, value, statementTimeout);
  }

  /** The same with another limit for each statement that reads. */
  public DashboardConfig withStatementTimeout(Duration value) {
    return new DashboardConfig(credentials, database, value);
  }
}
