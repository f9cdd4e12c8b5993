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
 * A database server that tests may create schemas on. {@link #shared} is the one of this JVM: the
 * one that the system property {@code rowqueue.test.url} or the environment variable {@code
 * ROWQUEUE_TEST_URL} names; or a container of the image that {@code rowqueue.test.container} or
 * {@code ROWQUEUE_TEST_CONTAINER} names; or else an embedded MariaDB. Thread-safe.
 *
 * <p>A named server's URL has user and password in it, as in {@code
 * jdbc:mysql://127.0.0.1:3306/it?user=it&password=it}; the account may create and drop schemas.
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
   * The server that all tests of this JVM share, started now if it is not yet. An embedded one
   * takes more options from the system property {@code rowqueue.test.options} or the environment
   * variable {@code ROWQUEUE_TEST_OPTIONS}, separated by spaces, and ends with the JVM; unless
   * {@code rowqueue.test.reuse} or {@code ROWQUEUE_TEST_REUSE} says for how long it shall stay for
   * the next run, as in {@code PT30M}. A container (an image such as {@code mysql:8.4}) is started
   * by Testcontainers, which the tests' class path must have, and ends with the JVM.
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
   * The server of a JDBC URL with user and password in it.
   *
   * @throws TestServerException if it is no {@code jdbc:mysql:} URL
   */
  public static TestServer at(String url) {
    return new TestServer(url);
  }

  /** An embedded server, which its owner closes. */
  public static TestServer of(EmbeddedMariaDb server) {
    return at(
        "%s?user=%s&password=%s"
            .formatted(server.jdbcUrl(server.database()), server.user(), server.password()));
  }

  /** The JDBC URL of a schema that is there from the start, with user and password in it. */
  public String url() {
    return url;
  }

  /** The JDBC URL of {@code database} on this server, with user and password in it. */
  public String url(String database) {
    return beforeSchema + database + afterSchema;
  }

  /** The account that {@link #url()} names; empty if it names none. */
  public String user() {
    return parameter("user");
  }

  /** Its password; empty if the URL has none. */
  public String password() {
    return parameter("password");
  }

  /**
   * Whether it is MariaDB, and not MySQL. Asks the server.
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
