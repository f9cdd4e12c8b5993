package io.rowqueue.worker.dashboard;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.admin.AdminConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * How a worker shows its dashboard.
 *
 * @param credentials who is let in; null for whoever reaches the port
 * @param database the account that it reads and changes with; null for the worker's own
 */
public record DashboardConfig(
    @Nullable Credentials credentials, @Nullable DatabaseConfig database) {

  /** For whoever reaches the port, with the worker's own account. */
  public static DashboardConfig open() {
    return new DashboardConfig(null, null);
  }

  /**
   * Refuses to be shown on {@code admin}'s address to whoever comes, unless that is the own host.
   *
   * @throws DashboardException if it would be
   */
  public void check(AdminConfig admin) {
    if (credentials == null && !isLoopback(admin.host())) {
      throw new DashboardException(
          "the dashboard is not shown on %s to whoever comes; give --dashboard-token-file or --dashboard-users-file, or leave out --admin-host"
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
  public DashboardConfig withCredentials(Credentials value) {
    return new DashboardConfig(value, database);
  }

  /** The same with an account of its own. */
  public DashboardConfig withDatabase(DatabaseConfig value) {
    return new DashboardConfig(credentials, value);
  }
}
