package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes of the dashboard's options how it is shown; without a dashboard, loads nothing of it. */
final class DashboardReader {

  private final DashboardOptions.Given given;
  private final Secrets secrets;

  private DashboardReader(DashboardOptions.Given given, Secrets secrets) {
    this.given = given;
    this.secrets = secrets;
  }

  /**
   * Null if there is none.
   *
   * @param worker the worker's own account
   * @param secrets is told those of the dashboard
   */
  static @Nullable DashboardConfig read(
      DashboardOptions.Given given,
      @Nullable AdminConfig admin,
      DatabaseConfig worker,
      Secrets secrets) {
    if (!given.shown()) {
      if (given.isOfNoUse()) {
        throw CommandFailure.usage(
            "the options of the dashboard are of no use without --dashboard");
      }
      return null;
    }
    if (admin == null) {
      throw CommandFailure.usage("--dashboard needs --admin-port");
    }
    return new DashboardReader(given, secrets).config(admin, worker);
  }

  private DashboardConfig config(AdminConfig admin, DatabaseConfig worker) {
    DashboardConfig config = DashboardConfig.open();
    config = Changed.by(config, credentials(), DashboardConfig::withCredentials);
    config = Changed.by(config, given.statementTimeout(), DashboardConfig::withStatementTimeout);
    config.check(admin);
    return Changed.by(config, database(worker), DashboardConfig::withDatabase);
  }

  private @Nullable Supplier<Credentials> credentials() {
    Path tokenFile = given.tokenFile();
    Path usersFile = given.usersFile();
    if (tokenFile != null && usersFile != null) {
      throw CommandFailure.usage(
          "--dashboard-token-file and --dashboard-users-file are both given; give one");
    }
    if (tokenFile != null) {
      return SmallFile.secret(
          tokenFile,
          text -> Credentials.token(secrets.added(text.lines().findFirst().orElse("").strip())));
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
    String user = given.user();
    Path passwordFile = given.passwordFile();
    if (user == null) {
      if (passwordFile != null) {
        throw CommandFailure.usage(
            "--dashboard-db-password-file is of no use without --dashboard-db-user");
      }
      return null;
    }
    return passwordFile == null
        ? new DatabaseConfig(worker.url(), user, "")
        : new DatabaseConfig(worker.url(), user, SmallFile.password(passwordFile, secrets));
  }
}
