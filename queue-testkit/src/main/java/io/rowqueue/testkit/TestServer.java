package io.rowqueue.testkit;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A database server for test schemas. {@link #shared} is the one of this JVM: the one named by the
 * system property {@code rowqueue.test.url} or the environment variable {@code ROWQUEUE_TEST_URL};
 * or a container of the image in {@code rowqueue.test.container} or {@code
 * ROWQUEUE_TEST_CONTAINER}; otherwise an embedded MariaDB. Thread-safe.
 *
 * <p>A server's URL includes user and password, as in {@code
 * jdbc:mysql://127.0.0.1:3306/it?user=it&password=it}; the account needs privileges to create and
 * drop schemas.
 */
public final class TestServer {

  static final String HOW_TO_NAME_ONE =
      "-Drowqueue.test.url=jdbc:mysql://127.0.0.1:3306/it?user=it&password=it";

  private static final Pattern URL = Pattern.compile("(jdbc:mysql:.*//[^/]+/)([^?]*)(.*)");

  private static @Nullable TestServer shared;

  private final String url;
  private final String beforeSchema;
  private final String afterSchema;

  private TestServer(String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new TestServerException(
          "the test server's URL has not the form " + HOW_TO_NAME_ONE.replace("-D", ""));
    }
    this.url = url;
    this.beforeSchema = parts.group(1);
    this.afterSchema = parts.group(3);
  }

  /**
   * Returns the server that all tests of this JVM share, starting it if necessary. An embedded one
   * takes more options from the system property {@code rowqueue.test.options} or the environment
   * variable {@code ROWQUEUE_TEST_OPTIONS}, separated by spaces, and ends with the JVM; unless
   * {@code rowqueue.test.reuse} or {@code ROWQUEUE_TEST_REUSE} sets how long it stays for the next
   * run, such as {@code PT30M}. A container (of an image such as {@code mysql:8.4}) is started by
   * Testcontainers, which must be on the tests' class path, and ends with the JVM.
   *
   * @throws TestServerException if it cannot be started
   */
  public static synchronized TestServer shared() {
    TestServer server = shared;
    if (server == null) {
      String given = setting("rowqueue.test.url", "ROWQUEUE_TEST_URL");
      server = given == null ? started() : at(given);
      shared = server;
    }
    return server;
  }

  private static TestServer started() {
    String image = setting("rowqueue.test.container", "ROWQUEUE_TEST_CONTAINER");
    return image == null ? embedded() : contained(image);
  }

  private static TestServer contained(String image) {
    try {
      return at(ContainerServer.start(image));
    } catch (NoClassDefFoundError e) {
      throw new TestServerException(
          ("a container of %s needs org.testcontainers:testcontainers; add it with test scope, or"
                  + " unset rowqueue.test.container")
              .formatted(image),
          e);
    }
  }

  private static TestServer embedded() {
    String reuse = setting("rowqueue.test.reuse", "ROWQUEUE_TEST_REUSE");
    if (reuse == null) {
      return of(EmbeddedMariaDb.start(options()));
    }
    try {
      return at(ReusedMariaDb.url(Duration.parse(reuse), options()));
    } catch (DateTimeParseException e) {
      throw new TestServerException(
          "rowqueue.test.reuse is a duration such as PT30M, and not '" + reuse + "'", e);
    }
  }

  /**
   * Returns the server of a JDBC URL with user and password.
   *
   * @throws TestServerException if it is not a {@code jdbc:mysql:} URL
   */
  public static TestServer at(String url) {
    return new TestServer(url);
  }

  /** Starts an embedded server, which the caller closes. */
  public static TestServer of(EmbeddedMariaDb server) {
    return at(
        "%s?user=%s&password=%s"
            .formatted(server.jdbcUrl(server.database()), server.user(), server.password()));
  }

  /** Returns the JDBC URL of the initial schema, including user and password. */
  public String url() {
    return url;
  }

  /** Returns the JDBC URL of {@code database} on this server, including user and password. */
  public String url(String database) {
    return beforeSchema + database + afterSchema;
  }

  /** Returns the account that {@link #url()} names; empty if it names none. */
  public String user() {
    return parameter("user");
  }

  /** Returns its password; empty if the URL has none. */
  public String password() {
    return parameter("password");
  }

  /**
   * Returns whether it is MariaDB, not MySQL. Queries the server.
   *
   * @throws TestServerException if it cannot be reached
   */
  public boolean isMariaDb() {
    try (Connection connection = DriverManager.getConnection(url)) {
      // The product's name is MySQL for both.
      return connection
          .getMetaData()
          .getDatabaseProductVersion()
          .toLowerCase(Locale.ROOT)
          .contains("mariadb");
    } catch (SQLException e) {
      throw new TestServerException("the test server does not answer: " + e.getMessage(), e);
    }
  }

  /** The value of a system property or, without it, of an environment variable. */
  static @Nullable String setting(String property, String variable) {
    String value = System.getProperty(property);
    String given = value == null || value.isBlank() ? System.getenv(variable) : value;
    return given == null || given.isBlank() ? null : given.strip();
  }

  private static String[] options() {
    String given = setting("rowqueue.test.options", "ROWQUEUE_TEST_OPTIONS");
    return given == null ? new String[0] : given.split(" +", -1);
  }

  private String parameter(String name) {
    Matcher value = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(afterSchema);
    return value.find() ? URLDecoder.decode(value.group(1), StandardCharsets.UTF_8) : "";
  }
}
