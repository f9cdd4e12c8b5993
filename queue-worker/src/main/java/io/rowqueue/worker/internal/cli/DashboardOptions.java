package io.rowqueue.worker.internal.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a worker has a dashboard, who is let in, and which account it uses. */
final class DashboardOptions {

  @Option(
      names = "--dashboard",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description =
          "Show a web dashboard at /dashboard on the admin port; needs --admin-port (default:"
              + " false).")
  private boolean shown;

  @Option(
      names = "--dashboard-token-file",
      paramLabel = "FILE",
      description =
          "A file whose first line is the token, of at least 12 characters, that lets people in: as"
              + " the password beside any name, or as a bearer token.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--dashboard-users-file",
      paramLabel = "FILE",
      description =
          "A file with lines user:password, each password of at least 12 characters, instead of a"
              + " token.")
  private @Nullable Path usersFile;

  @Option(
      names = "--dashboard-db-user",
      paramLabel = "USER",
      description =
          "The database account that the dashboard uses (default: the worker's own, which needs"
              + " what `grants operator` prints besides).")
  private @Nullable String user;

  @Option(
      names = "--dashboard-db-password-file",
      paramLabel = "FILE",
      description = "A file whose first line is that account's password.")
  private @Nullable Path passwordFile;

  @Option(
      names = "--dashboard-statement-timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description =
          "After how long the server ends a statement that reads for the dashboard; where counts"
              + " come near it, they go less far (default: 3s).")
  private @Nullable Duration statementTimeout;

  /** As they are given. The reading is elsewhere: picocli looks at every method of this class. */
  Given given() {
    return new Given(shown, tokenFile, usersFile, user, passwordFile, statementTimeout);
  }

  /**
   * What the options say.
   *
   * @param shown whether there is a dashboard
   * @param tokenFile where the token is; null if there is none
   * @param usersFile where users and passwords are; null if there are none
   * @param user the database account; null for the worker's own
   * @param passwordFile where its password is; null if it has none
   * @param statementTimeout after how long the server ends a read; null for as long as ever
   */
  record Given(
      boolean shown,
      @Nullable Path tokenFile,
      @Nullable Path usersFile,
      @Nullable String user,
      @Nullable Path passwordFile,
      @Nullable Duration statementTimeout) {

    /** Whether something is said of a dashboard that is not shown. */
    boolean isOfNoUse() {
      return Stream.of(tokenFile, usersFile, user, passwordFile, statementTimeout)
          .anyMatch(Objects::nonNull);
    }
  }
}
