package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
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

  /**
   * The settings of health, metrics, dashboard and traces.
   *
   * @param worker the worker's own account
   * @param secrets is told those of the dashboard
   */
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
        throw CommandFailure.usage("--admin-host is of no use without --admin-port");
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
}
