package io.rowqueue.worker.cli;

import io.rowqueue.worker.DatabaseConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where the queue is, and who connects. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class DatabaseOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The queue's database, jdbc:mysql://host:3306/schema, for MySQL and MariaDB. Required.")
  private @Nullable String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "The account to connect with (default: the one in the URL).")
  private @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "PASSWORD",
      description =
          "Its password. On the command line every user of the host can read it; better use"
              + " ROWQUEUE_PASSWORD or --password-file.")
  private @Nullable String password;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file whose first line is the password.")
  private @Nullable Path passwordFile;

  /** What the options say together; the password is remembered as a secret. */
  DatabaseConfig database(Secrets secrets) {
    if (url == null) {
      throw CommandFailure.usage(
          "no database is named; give --url jdbc:mysql://host:3306/schema, set ROWQUEUE_URL, or"
              + " write url=... into the --config file");
    }
    String secret = password();
    secrets.add(secret);
    try {
      return new DatabaseConfig(url, user == null ? "" : user, secret);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  /** The nearer source wins: a password file on the command line beats a password variable. */
  private String password() {
    Settings settings = (Settings) command.defaultValueProvider();
    int rank = settings.rank(command.findOption("--password"));
    int fileRank = settings.rank(command.findOption("--password-file"));
    if (rank > 0 && rank == fileRank) {
      throw CommandFailure.usage("--password and --password-file are both given; give one");
    }
    if (passwordFile != null && fileRank > rank) {
      return firstLine(passwordFile);
    }
    return password == null ? "" : password;
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw CommandFailure.usage(
          "the password file %s cannot be read; check its path and its mode".formatted(file));
    }
  }
}
