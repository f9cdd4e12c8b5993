package io.rowqueue.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Initializes a data directory: grant tables, one account, no anonymous user, no test schema.
 * Replaces {@code mariadb-install-db}, without a shell script and without the help texts.
 */
final class SystemTables {

  /** The account with every privilege. */
  static final String USER = "it";

  /** Its password. */
  static final String PASSWORD = "it";

  /** The initial schema. */
  static final String SCHEMA = "it";

  /** Determines the layout of data files, so each start must use the same values. */
  static final List<String> FILE_OPTIONS =
      List.of("--innodb-undo-tablespaces=0", "--innodb-data-file-path=ibdata1:12M:autoextend");

  private static final List<String> SCRIPTS =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql",
          "maria_add_gis_sp_bootstrap.sql");

  /** The server reads one statement per line. */
  private static final String BEFORE =
      """
      CREATE DATABASE mysql;
      USE mysql;
      SET @auth_root_socket = NULL;
      """;

  private static final String AFTER =
      """

      FLUSH PRIVILEGES;
      DELETE FROM mysql.global_priv WHERE User IN ('root', '');
      DELETE FROM mysql.proxies_priv;
      CREATE USER '%1$s'@'%%' IDENTIFIED BY '%2$s';
      GRANT ALL PRIVILEGES ON *.* TO '%1$s'@'%%' WITH GRANT OPTION;
      CREATE DATABASE %3$s CHARACTER SET utf8mb4;
      """
          .formatted(USER, PASSWORD, SCHEMA);

  private SystemTables() {}

  static void create(Installation installation, Path data) throws IOException {
    Files.createDirectory(data);
    Path output = data.resolveSibling("initialise.log");
    Process server =
        new ProcessBuilder(command(installation, data))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try (OutputStream in = server.getOutputStream()) {
      in.write(BEFORE.getBytes(StandardCharsets.UTF_8));
      for (String script : SCRIPTS) {
        Files.copy(installation.share().resolve(script), in);
      }
      in.write(AFTER.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw failure(output, e);
    }
    if (!endedWell(server)) {
      throw failure(output, null);
    }
  }

  private static List<String> command(Installation installation, Path data) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(installation.executable().toString());
    command.addAll(ServerProcess.commonOptions(installation, data));
    command.addAll(
        List.of(
            "--bootstrap",
            "--log-warnings=0",
            "--enforce-storage-engine=",
            "--innodb-log-file-size=" + ServerProcess.REDO_LOG_SIZE,
            "--max-allowed-packet=8M"));
    return command;
  }

  private static boolean endedWell(Process server) {
    try {
      return server.waitFor(2, TimeUnit.MINUTES) && server.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      server.destroyForcibly();
    }
  }

  private static IOException failure(Path output, @Nullable IOException cause) throws IOException {
    String log = Files.readString(output, StandardCharsets.ISO_8859_1);
    return new IOException(
        "the system tables could not be made:\n" + Directories.lastLines(log, 20), cause);
  }
}
