package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import io.rowqueue.worker.internal.cli.Settings.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Option;

@Setting
final class DatabaseOptions {

  private static final Pattern PASSWORD_IN_URL =
      Pattern.compile("(?i)//[^/@]*:[^@]*@|[?&(,]\\s*password\\w*=");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "JDBC URL of the queue's database, jdbc:mysql://host:3306/schema, for MySQL and"
              + " MariaDB. Required.")
  private @Nullable String url;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "Database user (default: the one in the URL).")
  private @Nullable String user;

  @Option(
      names = "--password",
      paramLabel = "PASSWORD",
      description =
          "Password of the user. On the command line every user of the host can read it;"
              + " prefer ROWQUEUE_PASSWORD or --password-file.")
  private @Nullable String password;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "File whose first line is the password. Read for each new connection.")
  private @Nullable Path passwordFile;

  /** What the options say together; the password is remembered as a secret. */
  DatabaseConfig database(Settings settings, Secrets secrets) {
    if (url == null) {
      throw CommandFailure.usage(
          "no database is named; give --url jdbc:mysql://host:3306/schema, set ROWQUEUE_URL, or"
              + " write url=... into the --config file");
    }
    try {
      String account = user == null ? "" : user;
      Supplier<String> fromFile = passwordFile(settings, secrets);
      secrets.add(password);
      return fromFile == null
          ? new DatabaseConfig(url, account, password == null ? "" : password)
          : new DatabaseConfig(url, account, fromFile);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The database that a properties file of its own names, by the keys of these options. Warns if
   * others on this host can read its password.
   */
  static DatabaseConfig inFile(Path file, Secrets secrets) {
    Set<String> keys = Set.of("url", "user", "password", "password-file");
    SettingsFile values = SettingsFile.read(file, keys);
    String url =
        values
            .value("url")
            .orElseThrow(
                () ->
                    CommandFailure.usage(
                        "the file %s names no database; write url=jdbc:mysql://host:3306/schema into it"
                            .formatted(file)));
    secrets.addUrl(url);
    Settings settings = new Settings(List.of(), Map.of(), values);
    DatabaseOptions options = new DatabaseOptions();
    new CommandLine(options).setDefaultValueProvider(settings).parseArgs();
    Logger log = LoggerFactory.getLogger(DatabaseOptions.class);
    options.exposures(settings).forEach(log::warn);
    return options.database(settings, secrets);
  }

  /** Ways in which others on this host can read the password, each with what to do about it. */
  List<String> exposures(Settings settings) {
    boolean inUrl = url != null && PASSWORD_IN_URL.matcher(url).find();
    List<String> exposures = new ArrayList<>();
    for (String key : inUrl ? List.of("password", "url") : List.of("password")) {
      int rank = settings.rank(key);
      if (rank == Settings.ON_COMMAND_LINE) {
        exposures.add(
            "a password on the command line can be read by every user of this host; use"
                + " ROWQUEUE_PASSWORD or --password-file");
      } else if (rank == Settings.IN_FILE) {
        addIfReadByAll(exposures, Path.of(settings.fileName()));
      }
    }
    if (passwordFile != null) {
      addIfReadByAll(exposures, passwordFile);
    }
    return exposures.stream().distinct().toList();
  }

  private static void addIfReadByAll(List<String> exposures, Path file) {
    if (SmallFile.isReadByAll(file)) {
      exposures.add(
          "the password in %s can be read by every user of this host; remove that permission (chmod o-r)"
              .formatted(file));
    }
  }

  /**
   * The password in a file, read anew each time; null if it is in none. The nearer source wins: a
   * password file on the command line beats a password variable.
   */
  private @Nullable Supplier<String> passwordFile(Settings settings, Secrets secrets) {
    int rank = settings.rank("password");
    int fileRank = settings.rank("password-file");
    if (rank > 0 && rank == fileRank) {
      throw CommandFailure.usage("--password and --password-file are both given; give one");
    }
    if (passwordFile != null && fileRank > rank) {
      return SmallFile.password(passwordFile, secrets);
    }
    if (rank == Settings.IN_FILE && Files.isRegularFile(Path.of(settings.fileName()))) {
      return SmallFile.secret(
          Path.of(settings.fileName()),
          text -> secrets.added(SettingsFile.value(text, "password")));
    }
    return null;
  }
}
