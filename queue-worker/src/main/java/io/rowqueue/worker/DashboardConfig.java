package io.rowqueue.worker;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.internal.WorkerStartException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a worker serves its dashboard.
 *
 * @param credentials the accepted logins, read on each request, since a file may change; null for
 *     no authentication
 * @param database the account for reads and changes; null for the worker's own
 * @param path where it is served, without a slash at the end
 * @param statementTimeout the server's timeout for each read, to the millisecond; at most a minute
 * @param traceUrl the address of a message's trace, with {@code {trace_id}}; null for no links
 */
public record DashboardConfig(
    @Nullable Supplier<Credentials> credentials,
    @Nullable DatabaseConfig database,
    String path,
    Duration statementTimeout,
    @Nullable String traceUrl) {

  /** Stands for the trace's id in {@link #traceUrl}. */
  public static final String TRACE_ID = "{trace_id}";

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** Validates paths, timeout and address. */
  public DashboardConfig {
    if (!path.matches("(/[\\w.-]+)+")) {
      throw new IllegalArgumentException(
          "the dashboard's path must be like /dashboard, not " + path);
    }
    if (statementTimeout.toMillis() < 1 || statementTimeout.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "dashboard-statement-timeout must lie between 1 ms and %s, not %s"
              .formatted(Humanize.duration(LONGEST), Humanize.duration(statementTimeout)));
    }
    if (traceUrl != null && !(traceUrl.matches("https?://.*") && traceUrl.contains(TRACE_ID))) {
      throw new IllegalArgumentException(
          "dashboard-trace-url must begin with http:// or https:// and contain {trace_id}, unlike "
              + traceUrl);
    }
  }

  /** No authentication, the worker's account, {@code /dashboard}, and a read timeout of 3 s. */
  public static DashboardConfig open() {
    return new DashboardConfig(null, null, "/dashboard", Duration.ofSeconds(3), null);
  }

  /**
   * Requires authentication on any address of {@code admin} but a loopback one.
   *
   * @throws WorkerStartException if it is missing
   */
  public void check(AdminConfig admin) {
    if (credentials == null && !isLoopback(admin.host())) {
      throw new WorkerStartException(
          "the dashboard needs authentication on %s; give --dashboard-token-file or --dashboard-users-file, or leave out --admin-host"
              .formatted(admin.host()),
          null);
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Returns a copy that requires these credentials. */
  public DashboardConfig withCredentials(Supplier<Credentials> value) {
    return new DashboardConfig(value, database, path, statementTimeout, traceUrl);
  }

  /** Returns a copy with a database account of its own. */
  public DashboardConfig withDatabase(DatabaseConfig value) {
    return new DashboardConfig(credentials, value, path, statementTimeout, traceUrl);
  }

  /** Returns a copy with another read timeout. */
  public DashboardConfig withStatementTimeout(Duration value) {
    return new DashboardConfig(credentials, database, path, value, traceUrl);
  }

  /** Returns a copy with another path. */
  public DashboardConfig withPath(String value) {
    return new DashboardConfig(credentials, database, value, statementTimeout, traceUrl);
  }

  /**
   * Returns a copy whose pages link to the trace of a message that has the header {@code
   * traceparent}.
   *
   * @param value an address with {@code {trace_id}}
   */
  public DashboardConfig withTraceUrl(String value) {
    return new DashboardConfig(credentials, database, path, statementTimeout, value);
  }
}
