package io.rowqueue.worker.cli;

import io.rowqueue.database.DatabaseUnavailableException;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.cli.Main.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of every command. */
final class CommonOptions {

  @Option(names = "--config", paramLabel = "FILE", description = "A properties file of flags.")
  @Nullable Path config;

  @Option(
      names = "--url",
      paramLabel = "URL",
      required = true,
      description = "The queue's schema, such as jdbc:mysql://db.example.org:3306/app.")
  String url = "";

  @Option(names = "--user", paramLabel = "NAME", description = "The database account.")
  String user = "";

  @Option(
      names = "--password",
      paramLabel = "SECRET",
      description =
          "Its password; better in ROWQUEUE_PASSWORD or --password-file, since `ps` shows flags.")
  String password = "";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "A file whose first line is the password.")
  @Nullable Path passwordFile;

  @Option(names = "--verbose", description = "Stack traces with errors.")
  boolean verbose;

  DatabaseConfig database() {
    return new DatabaseConfig(url, user, secret());
  }

  /**
   * Connections for a command that ends soon.
   *
   * @throws DatabaseUnavailableException if the database refuses
   */
  CommandLineDataSource dataSource() {
    CommandLineDataSource dataSource = new CommandLineDataSource(database());
    dataSource.check();
    return dataSource;
  }

  private String secret() {
    Path file = passwordFile;
    if (file == null) {
      return password;
    }
    try {
      return Files.readString(file).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new SettingsException("the password file " + file + " cannot be read");
    }
  }
}
