package io.rowqueue.worker;

import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.internal.WorkerStartException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a worker serves its dashboard.
 *
 * @param credentials the accepted logins, read on each request, since a file may change; null for
 *     no authentication
 * @param database the account for reads and changes; null for the worker's own
 * @param path where it is served, without a slash at the end
 * @param statementTimeout the server's timeout for each read, to the millisecond; at most a minute
 * @param proxy the proxy that authenticates users; null for none
 * @param basePath the path before {@code path} in links, where a proxy that strips it serves the
 *     dashboard; empty for none
 * @param sessions when a user has to log in again
 * @param traceUrl the address of a message's trace, with {@code {trace_id}}; null for no links
 * @param queues the databases of further queues by name, in the order of the links; may be empty
 */
public record DashboardConfig(
    @Nullable Supplier<Credentials> credentials,
    @Nullable DatabaseConfig database,
    String path,
    Duration statementTimeout,
    @Nullable AuthProxy proxy,
    String basePath,
    SessionEnd sessions,
    @Nullable String traceUrl,
    Map<String, DatabaseConfig> queues) {

  /** Stands for the trace's id in {@link #traceUrl}. */
  public static final String TRACE_ID = "{trace_id}";

  private static final Duration LONGEST = Duration.ofMinutes(1);

  private static final Pattern BASE_PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");

  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9-]{1,40}");

  /**
   * A proxy that authenticates users and names them in a header, which it must remove from what its
   * clients send. The header of any other client is ignored.
   *
   * @param header the header's name, such as {@code X-Forwarded-User}
   * @param addresses the addresses of the proxy, from which the header is accepted
   * @param operators the users that may change something, and what; null for all users and
   *     everything
   */
  public record AuthProxy(
      String header, Set<String> addresses, @Nullable Map<String, Set<Permission>> operators) {

    /**
     * Copies the sets.
     *
     * @throws IllegalArgumentException if there is no address, or one is not an IP address
     */
    public AuthProxy {
      if (addresses.isEmpty()) {
        throw new IllegalArgumentException("the header of a proxy needs the proxy's address");
      }
      addresses = addresses.stream().map(AuthProxy::canonical).collect(Collectors.toSet());
      operators = operators == null ? null : Map.copyOf(operators);
    }

    private static String canonical(String address) {
      if (!address.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
        throw new IllegalArgumentException("'%s' is not an IP address".formatted(address));
      }
      try {
        return InetAddress.getByName(address).getHostAddress();
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("'%s' is not an IP address".formatted(address), e);
      }
    }
  }

  /**
   * When the session of a user with a password or token ends: the next request is asked for them
   * again. Sessions of a proxy's users are the proxy's.
   *
   * @param idle after the last request, of which the refreshes of an open page are none
   * @param longest after the first request
   */
  public record SessionEnd(Duration idle, Duration longest) {

    /**
     * Validates the durations.
     *
     * @throws IllegalArgumentException if one is not positive
     */
    public SessionEnd {
      if (idle.toMillis() < 1 || longest.toMillis() < 1) {
        throw new IllegalArgumentException("a session of the dashboard must last for 1 ms or more");
      }
    }

    /** An hour, and twelve hours. */
    public static SessionEnd usual() {
      return new SessionEnd(Duration.ofHours(1), Duration.ofHours(12));
    }
  }

  /** Validates paths, timeout, address and names. */
  public DashboardConfig {
    if (path.isEmpty() || !BASE_PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "the dashboard's path must be like /dashboard, not '%s'".formatted(path));
    }
    if (!BASE_PATH.matcher(basePath).matches()) {
      throw new IllegalArgumentException(
          "dashboard-base-path must be like /rowqueue, not '%s'".formatted(basePath));
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
    queues = Collections.unmodifiableMap(new LinkedHashMap<>(queues));
    queues.keySet().forEach(DashboardConfig::checkName);
  }

  private static void checkName(String queue) {
    if (!QUEUE.matcher(queue).matches()) {
      throw new IllegalArgumentException(
          "the name of a queue has 1 to 40 letters, digits and dashes, unlike '%s'"
              .formatted(queue));
    }
  }

  /** No authentication, the worker's account, {@code /dashboard}, and a read timeout of 3 s. */
  public static DashboardConfig open() {
    return new DashboardConfig(
        null,
        null,
        "/dashboard",
        Duration.ofSeconds(3),
        null,
        "",
        SessionEnd.usual(),
        null,
        Map.of());
  }

  /**
   * Requires authentication on any address of {@code admin} but a loopback one.
   *
   * @throws WorkerStartException if it is missing
   */
  public void check(AdminConfig admin) {
    if (credentials == null && proxy == null && !isLoopback(admin.host())) {
      throw new WorkerStartException(
          "the dashboard needs authentication on %s; give --dashboard-token-file, --dashboard-users-file or --dashboard-auth-header, or leave out --admin-host"
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
    return new DashboardConfig(
        value, database, path, statementTimeout, proxy, basePath, sessions, traceUrl, queues);
  }

  /** Returns a copy with a database account of its own. */
  public DashboardConfig withDatabase(DatabaseConfig value) {
    return new DashboardConfig(
        credentials, value, path, statementTimeout, proxy, basePath, sessions, traceUrl, queues);
  }

  /** Returns a copy with another read timeout. */
  public DashboardConfig withStatementTimeout(Duration value) {
    return new DashboardConfig(
        credentials, database, path, value, proxy, basePath, sessions, traceUrl, queues);
  }

  /** Returns a copy that accepts users from this proxy. */
  public DashboardConfig withProxy(AuthProxy value) {
    return new DashboardConfig(
        credentials, database, path, statementTimeout, value, basePath, sessions, traceUrl, queues);
  }

  /** Returns a copy whose links begin with this path. */
  public DashboardConfig withBasePath(String value) {
    return new DashboardConfig(
        credentials, database, path, statementTimeout, proxy, value, sessions, traceUrl, queues);
  }

  /** Returns a copy whose sessions end so. */
  public DashboardConfig withSessions(SessionEnd value) {
    return new DashboardConfig(
        credentials, database, path, statementTimeout, proxy, basePath, value, traceUrl, queues);
  }

  /** Returns a copy with another path. */
  public DashboardConfig withPath(String value) {
    return new DashboardConfig(
        credentials,
        database,
        value,
        statementTimeout,
        proxy,
        basePath,
        sessions,
        traceUrl,
        queues);
  }

  /**
   * Returns a copy whose pages link to the trace of a message that has the header {@code
   * traceparent}.
   *
   * @param value an address with {@code {trace_id}}
   */
  public DashboardConfig withTraceUrl(String value) {
    return new DashboardConfig(
        credentials, database, path, statementTimeout, proxy, basePath, sessions, value, queues);
  }

  /**
   * Returns a copy that shows a further queue, of another schema or server, below {@link #path} at
   * {@code /q/NAME}. Every page links to each queue; users and what they may change are the same
   * for all. A queue has up to eight connections of its own, opened by the first of its pages and
   * closed after a minute without use.
   *
   * @param name letters, digits and dashes, at most 40
   * @param value its database, by an account with the role {@code operator}
   * @throws IllegalArgumentException if the name is invalid or taken
   */
  public DashboardConfig withQueue(String name, DatabaseConfig value) {
    Map<String, DatabaseConfig> all = new LinkedHashMap<>(queues);
    if (all.put(name, value) != null) {
      throw new IllegalArgumentException(
          "two queues have the name '%s'; give each its own".formatted(name));
    }
    return new DashboardConfig(
        credentials, database, path, statementTimeout, proxy, basePath, sessions, traceUrl, all);
  }
}
