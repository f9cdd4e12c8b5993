package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A disk of a few megabytes with some of a queue's tables on it: a tmpfs, which a file can fill up.
 * Then InnoDB cannot make these tables larger; logs and all else of the server lie elsewhere. Needs
 * root.
 */
final class SmallDisk implements AutoCloseable {

  private static final String SIZE = "size=24m,mode=777";
  private static final int BLOCK = 4096;

  private final QueueDatabase database;
  private final Path folder;

  private SmallDisk(QueueDatabase database, Path folder) {
    this.database = database;
    this.folder = folder;
  }

  /** Why there can be none; null if there can. */
  static @Nullable String obstacle(QueueDatabase database) throws IOException {
    Path self = Path.of("/proc/self");
    if (!Files.exists(self) || !Integer.valueOf(0).equals(Files.getAttribute(self, "unix:uid"))) {
      return "it needs Linux and root, to mount a tmpfs";
    }
    return database.isMariaDb() || foreseen(database).isPresent()
        ? null
        : "it needs a MySQL that is started with --innodb-directories=FOLDER, an empty folder";
  }

  /** MySQL has tables only in folders that it was told of at its start. */
  private static Optional<Path> foreseen(QueueDatabase database) {
    String folders = database.strings("SELECT @@innodb_directories").get(0);
    return Arrays.stream(folders.split(";", -1))
        .filter(name -> name.startsWith("/"))
        .map(Path::of)
        .filter(Files::isDirectory)
        .findFirst();
  }

  /** Mounts it. */
  static SmallDisk mount(QueueDatabase database) throws IOException {
    Path folder =
        database.isMariaDb()
            ? Files.createTempDirectory("rowqueue-small-disk-")
            : foreseen(database).orElseThrow();
    run("mount", "-t", "tmpfs", "-o", SIZE, "rowqueue", folder.toString());
    return new SmallDisk(database, folder);
  }

  /** Makes {@code tables} there that are empty, and so without room of their own. */
  void take(String... tables) throws SQLException {
    for (String table : tables) {
      String anew = definition(table).replaceFirst("DATA DIRECTORY='[^']*'", "");
      database.execute("DROP TABLE " + table, anew + " DATA DIRECTORY = '" + folder + "'");
    }
  }

  private String definition(String table) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW CREATE TABLE " + table)) {
      row.next();
      return row.getString(2);
    }
  }

  /** Takes all the room there is. */
  void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(filler())) {
      while (true) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left")) {
        throw e;
      }
    }
  }

  /** Gives it back. */
  void free() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return folder.resolve("filler");
  }

  /** Unmounts it, once the tables on it are dropped. */
  @Override
  public void close() throws IOException {
    run("umount", "-l", folder.toString());
    if (database.isMariaDb()) {
      Files.delete(folder);
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + words.strip());
    }
  }
}
