package io.rowqueue.worker.cli;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.dashboard.Credentials;
import io.rowqueue.worker.dashboard.DashboardConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes of the dashboard's options how it is shown; without a dashboard, loads nothing of it. */
final class DashboardReader {

  /** Of a file with users and passwords. */
  private static final int LARGEST = 65_536;

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
    config = Changed.by(config, given.statementTimeout(), DashboardReader::timeout);
    config.check(admin);
    return Changed.by(config, database(worker), DashboardConfig::withDatabase);
  }

  private static DashboardConfig timeout(DashboardConfig config, Duration timeout) {
    return checked(timeout, config::withStatementTimeout);
  }

  private @Nullable Credentials credentials() {
    Path tokenFile = given.tokenFile();
    Path usersFile = given.usersFile();
    if (tokenFile != null && usersFile != null) {
      throw CommandFailure.usage(
          "--dashboard-token-file and --dashboard-users-file are both given; give one");
    }
    if (tokenFile != null) {
      String token = firstLine(tokenFile);
      secrets.add(token);
      return checked(token, Credentials::token);
    }
    if (usersFile != null) {
      String lines = text(usersFile);
      Credentials.secrets(lines).forEach(secrets::add);
      return checked(lines, Credentials::users);
    }
    return null;
  }

  private static <V, T> T checked(V given, Function<V, T> reader) {
    try {
      return reader.apply(given);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
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
        : new DatabaseConfig(worker.url(), user, SmallFile.secret(passwordFile, secrets));
  }

  private static String firstLine(Path file) {
    return text(file).lines().findFirst().orElse("").strip();
  }

  private static String text(Path file) {
    try {
      return SmallFile.text(file, LARGEST);
    } catch (SmallFile.TooLarge e) {
      throw CommandFailure.usage(
          "%s has more than %,d bytes; it is no file with a secret".formatted(file, LARGEST));
    } catch (IOException e) {
      throw CommandFailure.usage("%s cannot be read; check its path and its mode".formatted(file));
    }
  }
}
