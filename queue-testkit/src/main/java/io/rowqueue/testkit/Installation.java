package io.rowqueue.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An unpacked MariaDB and an initialized data directory, to be copied for each server. Created once
 * per version and user, in a cache; thread-safe.
 */
final class Installation {

  private static final Logger log = LoggerFactory.getLogger(Installation.class);

  /**
   * Must change whenever {@link SystemTables} creates a different data directory for the same
   * server version.
   */
  private static final String LAYOUT = "1";

  /** The largest files that a server does not need: clients, manuals and libraries. */
  private static final Set<String> NOT_NEEDED = Set.of("a", "jar", "lib", "pdb", "1", "8");

  private final Platform platform;
  private final Path directory;

  private Installation(Platform platform, Path directory) {
    this.platform = platform;
    this.directory = directory;
  }

  /**
   * Returns the installation of the version on the class path, and creates it if this user has
   * none. Safe with concurrent JVMs; leftovers of an interrupted one are replaced.
   *
   * @throws TestServerException if the jar is missing, or the cache cannot be written
   */
  static synchronized Installation unpacked() {
    Platform platform = Platform.current();
    String version = version(platform);
    Path cache = cache();
    String name =
        "mariadb-%s-%s-%s".formatted(version, platform.name().toLowerCase(Locale.ROOT), LAYOUT);
    Path directory = cache.resolve(name);
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectories(cache);
        installLocked(platform, version, directory);
      }
    } catch (IOException e) {
      throw new TestServerException(
          "MariaDB could not be unpacked to %s; make it writable and leave 500 MB free, or choose another folder with -Drowqueue.test.cache: %s"
              .formatted(directory, e),
          e);
    }
    return new Installation(platform, directory);
  }

  Platform platform() {
    return platform;
  }

  /** Returns the server's {@code basedir}. */
  Path server() {
    return directory.resolve("server");
  }

  /** Returns the server's executable. */
  Path executable() {
    return server().resolve(platform.executable());
  }

  /** Returns the folder of its messages and system tables. */
  Path share() {
    return server().resolve(platform.share());
  }

  /** Creates {@code data}, which must not exist, as an initialized data directory. */
  void copyDataTo(Path data) throws IOException {
    Directories.copy(directory.resolve("data"), data);
  }

  private static void installLocked(Platform platform, String version, Path directory)
      throws IOException {
    Path lockFile = directory.resolveSibling(directory.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      Objects.requireNonNull(lock);
      if (!Files.isDirectory(directory)) {
        install(platform, version, directory);
      }
    }
  }

  /** Created in a temporary folder and renamed, so that an existing folder is complete. */
  private static void install(Platform platform, String version, Path directory)
      throws IOException {
    deleteLeftOvers(directory);
    log.info("unpacking MariaDB {} to {}, once", version, directory);
    Path unfinished =
        Files.createTempDirectory(
            Objects.requireNonNull(directory.getParent()), directory.getFileName() + ".tmp-");
    Installation installation = new Installation(platform, unfinished);
    installation.unpack(version);
    SystemTables.create(installation, unfinished.resolve("data"));
    try {
      Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException("the file system of " + directory + " cannot rename a folder", e);
    }
  }

  private static void deleteLeftOvers(Path directory) throws IOException {
    Path cache = Objects.requireNonNull(directory.getParent());
    try (DirectoryStream<Path> dead =
        Files.newDirectoryStream(cache, directory.getFileName() + ".tmp-*")) {
      for (Path path : dead) {
        Directories.delete(path);
      }
    }
  }

  private void unpack(String version) throws IOException {
    String prefix = platform.inJar(version);
    URL program = resource(prefix + platform.executable());
    if (program == null || !(program.openConnection() instanceof JarURLConnection connection)) {
      throw new IOException("the class path has no jar with " + prefix + platform.executable());
    }
    // A cached JarFile would be shared with the class loader, and closing it would close the class
    // loader's too.
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : jar.stream().filter(each -> isNeeded(each, prefix)).toList()) {
        unpack(jar, entry, prefix);
      }
    }
  }

  private boolean isNeeded(JarEntry entry, String prefix) {
    String name = entry.getName();
    String file = name.substring(name.lastIndexOf('/') + 1);
    boolean otherProgram =
        name.startsWith(prefix + "bin/")
            && !name.endsWith(platform.executable())
            && !file.endsWith(".dll");
    return name.startsWith(prefix)
        && !entry.isDirectory()
        && !otherProgram
        && !NOT_NEEDED.contains(file.substring(file.lastIndexOf('.') + 1));
  }

  private void unpack(JarFile jar, JarEntry entry, String prefix) throws IOException {
    Path file = server().resolve(entry.getName().substring(prefix.length())).normalize();
    if (!file.startsWith(server())) {
      throw new IOException("the jar has an entry outside its folder: " + entry.getName());
    }
    Directories.createParent(file);
    try (InputStream in = jar.getInputStream(entry)) {
      Files.copy(in, file);
    }
    if (file.equals(executable()) && !file.toFile().setExecutable(true)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  private static Path cache() {
    String given = TestServer.setting("rowqueue.test.cache", "ROWQUEUE_TEST_CACHE");
    return given == null
        ? Path.of(System.getProperty("user.home"), ".cache", "rowqueue")
        : Path.of(given).toAbsolutePath();
  }

  private static String version(Platform platform) {
    String file =
        "META-INF/maven/%s/%s/pom.properties".formatted(Platform.GROUP, platform.artifact());
    URL url = resource(file);
    if (url == null) {
      throw new TestServerException(
          "the embedded MariaDB is not on the class path; add %s:%s:11.4.5 with scope test, or name a server of your own with %s"
              .formatted(Platform.GROUP, platform.artifact(), TestServer.HOW_TO_NAME_ONE));
    }
    Properties properties = new Properties();
    try (InputStream in = url.openStream()) {
      properties.load(in);
    } catch (IOException e) {
      throw new TestServerException("cannot read " + url, e);
    }
    return properties.getProperty("version", "unknown");
  }

  private static @Nullable URL resource(String name) {
    return Installation.class.getClassLoader().getResource(name);
  }
}
