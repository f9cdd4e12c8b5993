package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.Credentials.Login;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardConfig.AuthProxy;
import io.rowqueue.worker.DashboardConfig.SessionEnd;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import io.rowqueue.worker.internal.cli.Settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Health, metrics, traces and the dashboard of a worker. */
@Setting
final class AdminOptions {

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description =
          "Port for /health/live, /health/ready and /metrics; 0 for any free port (default:"
              + " none is opened).")
  private @Nullable Integer port;

  @Option(
      names = "--admin-host",
      paramLabel = "ADDRESS",
      description =
          "Address to listen on with --admin-port; 0.0.0.0 admits other hosts (default:"
              + " 127.0.0.1).")
  private @Nullable String host;

  @Option(
      names = "--tracing",
      description =
          "Create OpenTelemetry spans for claims and handlers; needs its agent (default:"
              + " false).")
  private boolean tracing;

  @Mixin private final DashboardOptions dashboard = new DashboardOptions();

  Shown shown(DatabaseConfig worker, Secrets secrets) {
    AdminConfig admin = config();
    return new Shown(
        admin, DashboardOptions.Reader.read(dashboard, admin, worker, secrets), tracing);
  }

  /**
   * How a worker is shown to others.
   *
   * @param admin where it shows itself; null if nowhere
   * @param dashboard how its dashboard is shown there; null if it has none
   * @param tracing whether it makes spans
   */
  record Shown(@Nullable AdminConfig admin, @Nullable DashboardConfig dashboard, boolean tracing) {}

  /** Null if no port is given. */
  private @Nullable AdminConfig config() {
    if (port == null) {
      if (host != null) {
        throw CommandFailure.usage("--admin-host needs --admin-port");
      }
      return null;
    }
    try {
      AdminConfig config = AdminConfig.onPort(port);
      return Settings.changed(config, host, AdminConfig::withHost);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  /** Whether a worker has a dashboard, who may use it, and which account it uses. */
  @Setting
  static final class DashboardOptions {

    @Option(
        names = "--dashboard",
        description =
            "Serve a web dashboard at /dashboard on the admin port; needs --admin-port"
                + " (default: false).")
    private boolean shown;

    @Option(
        names = "--dashboard-token-file",
        paramLabel = "FILE",
        description =
            "File whose first line is the access token, at least 12 characters: the password"
                + " for any user name, or a bearer token. A second line is a token for reading"
                + " only.")
    private @Nullable Path tokenFile;

    @Option(
        names = "--dashboard-users-file",
        paramLabel = "FILE",
        description =
            "File with lines user:password or user:password:role, each password at least 12"
                + " characters, instead of a token. Roles are operate, the default, read, and any"
                + " of pause, run, redrive, edit, delete, drain and settings, joined by +.")
    private @Nullable Path usersFile;

    @Option(
        names = "--dashboard-auth-header",
        paramLabel = "NAME",
        description =
            "Header in which a proxy names the authenticated user, such as X-Forwarded-User; needs"
                + " --dashboard-auth-proxies. The proxy must remove it from requests of clients.")
    private @Nullable String authHeader;

    @Option(
        names = "--dashboard-auth-proxies",
        paramLabel = "ADDRESS",
        split = ",",
        description =
            "IP addresses of the proxies whose --dashboard-auth-header is trusted, separated by"
                + " commas.")
    private @Nullable List<String> authProxies;

    @Option(
        names = "--dashboard-operators",
        paramLabel = "USER",
        split = ",",
        description =
            "Users of --dashboard-auth-header that may change anything, or with user:role what the"
                + " role permits, separated by commas; others only read (default: all may).")
    private @Nullable List<String> operators;

    @Option(
        names = "--dashboard-session-idle",
        paramLabel = "DURATION",
        description =
            "Time without a request, except refreshes of an open page, after which a user logs in"
                + " again (default: 1h).")
    private @Nullable Duration sessionIdle;

    @Option(
        names = "--dashboard-session-duration",
        paramLabel = "DURATION",
        description = "Time after which a user logs in again in any case (default: 12h).")
    private @Nullable Duration sessionDuration;

    @Option(
        names = "--dashboard-base-path",
        paramLabel = "PATH",
        description =
            "Path before /dashboard in links and redirects, such as /rowqueue, if a proxy serves"
                + " the dashboard there and removes it (default: none).")
    private @Nullable String basePath;

    @Option(
        names = "--dashboard-db-user",
        paramLabel = "USER",
        description =
            "Database user of the dashboard (default: the worker's own, which then also needs"
                + " the privileges of `grants operator`).")
    private @Nullable String user;

    @Option(
        names = "--dashboard-db-password-file",
        paramLabel = "FILE",
        description = "File whose first line is the password of --dashboard-db-user.")
    private @Nullable Path passwordFile;

    @Option(
        names = "--dashboard-queue",
        paramLabel = "NAME=FILE",
        split = ",",
        description =
            "Show a further queue under this name: letters, digits and dashes. The properties file"
                + " has the keys url, user, password and password-file of its database. Can be"
                + " given more than once, or separated by commas.")
    private @Nullable List<String> queues;

    @Option(
        names = "--dashboard-statement-timeout",
        paramLabel = "DURATION",
        description =
            "Timeout of the dashboard's read statements in the server; counts are capped"
                + " earlier if they approach it (default: 3s).")
    private @Nullable Duration statementTimeout;

    @Option(
        names = "--dashboard-trace-url",
        paramLabel = "URL",
        description =
            "Address of a trace, with {trace_id}: links messages that have the header"
                + " traceparent to it.")
    private @Nullable String traceUrl;

    /** Whether something is said of a dashboard that is not shown. */
    private boolean isOfNoUse() {
      return Stream.of(
              tokenFile,
              usersFile,
              user,
              passwordFile,
              statementTimeout,
              traceUrl,
              authHeader,
              authProxies,
              operators,
              sessionIdle,
              sessionDuration,
              basePath,
              queues)
          .anyMatch(Objects::nonNull);
    }

    /**
     * Makes of the options how the dashboard is shown; without one, loads nothing of it. Apart from
     * the options, all of whose methods picocli loads.
     */
    static final class Reader {

      private final DashboardOptions given;
      private final Secrets secrets;

      private Reader(DashboardOptions given, Secrets secrets) {
        this.given = given;
        this.secrets = secrets;
      }

      static @Nullable DashboardConfig read(
          DashboardOptions given,
          @Nullable AdminConfig admin,
          DatabaseConfig worker,
          Secrets secrets) {
        if (!given.shown) {
          if (given.isOfNoUse()) {
            throw CommandFailure.usage("the options of the dashboard need --dashboard");
          }
          return null;
        }
        if (admin == null) {
          throw CommandFailure.usage("--dashboard needs --admin-port");
        }
        return new Reader(given, secrets).config(admin, worker);
      }

      private DashboardConfig config(AdminConfig admin, DatabaseConfig worker) {
        DashboardConfig config = DashboardConfig.open();
        config = Settings.changed(config, credentials(), DashboardConfig::withCredentials);
        config =
            Settings.changed(config, given.statementTimeout, DashboardConfig::withStatementTimeout);
        config = Settings.changed(config, given.traceUrl, DashboardConfig::withTraceUrl);
        config = Settings.changed(config, proxy(), DashboardConfig::withProxy);
        config = Settings.changed(config, sessions(), DashboardConfig::withSessions);
        config = Settings.changed(config, given.basePath, DashboardConfig::withBasePath);
        config.check(admin);
        config = Settings.changed(config, database(worker), DashboardConfig::withDatabase);
        for (String queue : given.queues == null ? List.<String>of() : given.queues) {
          config = withQueue(config, queue);
        }
        return config;
      }

      private DashboardConfig withQueue(DashboardConfig config, String queue) {
        String[] parts = queue.split("=", 2);
        if (parts.length < 2 || parts[1].isEmpty()) {
          throw CommandFailure.usage(
              "--dashboard-queue takes NAME=FILE, such as billing=billing.properties, not '%s'"
                  .formatted(queue));
        }
        try {
          return config.withQueue(parts[0], DatabaseOptions.inFile(Path.of(parts[1]), secrets));
        } catch (CommandFailure | IllegalArgumentException e) {
          throw CommandFailure.usage("--dashboard-queue %s: %s".formatted(queue, e.getMessage()));
        }
      }

      private @Nullable AuthProxy proxy() {
        String header = given.authHeader;
        List<String> proxies = given.authProxies;
        if (header == null || proxies == null) {
          if (header != null || proxies != null || given.operators != null) {
            throw CommandFailure.usage(
                "--dashboard-auth-header and --dashboard-auth-proxies are given together or not at"
                    + " all");
          }
          return null;
        }
        List<String> operators = given.operators;
        return CommandFailure.usage(
            () ->
                new AuthProxy(
                    header,
                    new TreeSet<>(proxies),
                    operators == null
                        ? null
                        : operators.stream()
                            .map(Login::of)
                            .collect(Collectors.toMap(Login::name, Login::permissions))));
      }

      private SessionEnd sessions() {
        SessionEnd usual = SessionEnd.usual();
        return CommandFailure.usage(
            () ->
                new SessionEnd(
                    given.sessionIdle == null ? usual.idle() : given.sessionIdle,
                    given.sessionDuration == null ? usual.longest() : given.sessionDuration));
      }

      private Credentials tokens(String text) {
        List<String> lines = text.lines().map(String::strip).toList();
        String token = secrets.added(lines.isEmpty() ? "" : lines.get(0));
        return lines.size() < 2 || lines.get(1).isEmpty()
            ? Credentials.token(token)
            : Credentials.tokens(token, secrets.added(lines.get(1)));
      }

      private @Nullable Supplier<Credentials> credentials() {
        Path tokenFile = given.tokenFile;
        Path usersFile = given.usersFile;
        if (tokenFile != null && usersFile != null) {
          throw CommandFailure.usage(
              "--dashboard-token-file and --dashboard-users-file are both given; give one");
        }
        if (tokenFile != null) {
          return SmallFile.secret(tokenFile, this::tokens);
        }
        if (usersFile != null) {
          return SmallFile.secret(
              usersFile,
              lines -> {
                Credentials.secrets(lines).forEach(secrets::add);
                return Credentials.users(lines);
              });
        }
        return null;
      }

      private @Nullable DatabaseConfig database(DatabaseConfig worker) {
        String user = given.user;
        Path passwordFile = given.passwordFile;
        if (user == null) {
          if (passwordFile != null) {
            throw CommandFailure.usage("--dashboard-db-password-file needs --dashboard-db-user");
          }
          return null;
        }
        return passwordFile == null
            ? new DatabaseConfig(worker.url(), user, "")
            : new DatabaseConfig(worker.url(), user, SmallFile.password(passwordFile, secrets));
      }
    }
  }
}
