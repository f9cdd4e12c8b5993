package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where a worker shows itself, if anywhere, and to whom, and whether it makes spans. */
final class AdminOptions {

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description =
          "The port for /health/live, /health/ready and /metrics; 0 for any that is free (default:"
              + " none is opened).")
  private @Nullable Integer port;

  @Option(
      names = "--admin-host",
      paramLabel = "ADDRESS",
      description =
          "The address that it is opened on; 0.0.0.0 lets other hosts in (default: 127.0.0.1).")
  private @Nullable String host;

  @Option(
      names = "--tracing",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description =
          "Make spans for claims and handlings, by OpenTelemetry's agent (default: false).")
  private boolean tracing;

  @Mixin private final DashboardOptions dashboard = new DashboardOptions();

  /**
   * What shows the worker beside itself.
   *
   * @param worker the worker's own account
   * @param secrets is told those of the dashboard
   */
  Shown shown(DatabaseConfig worker, Secrets secrets) {
    AdminConfig admin = config();
    return new Shown(
        admin, DashboardReader.read(dashboard.given(), admin, worker, secrets), tracing);
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
      return Changed.by(config, host, AdminConfig::withHost);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }
}
