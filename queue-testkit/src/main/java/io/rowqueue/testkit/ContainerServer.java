package io.rowqueue.testkit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container, by the optional dependency Testcontainers. Separate from {@link
 * TestServer}, so that other tests do not need its classes.
 */
final class ContainerServer {

  private static final int PORT = 3306;
  private static final String DATABASE = "it";

  /** The image's first start creates its system tables. */
  private static final Duration LONGEST_START = Duration.ofMinutes(2);

  private ContainerServer() {}

  /**
   * Starts a container of {@code image} that ends with this JVM.
   *
   * @return the JDBC URL, including user and password
   * @throws TestServerException if it cannot be started
   */
  static String start(String image) {
    String password = UUID.randomUUID().toString();
    String url = url(started(image, password), password);
    try {
      Await.that("the container of " + image + " answers", LONGEST_START, () -> answers(url));
    } catch (AssertionError e) {
      throw new TestServerException(
          "the container of %s has started but accepts no connections; name a server instead: %s"
              .formatted(image, TestServer.HOW_TO_NAME_ONE),
          e);
    }
    return url;
  }

  /** Never closed: Testcontainers ends it with the JVM. */
  @SuppressWarnings("resource")
  private static GenericContainer<?> started(String image, String password) {
    try {
      GenericContainer<?> container =
          new GenericContainer<>(DockerImageName.parse(image))
              .withExposedPorts(PORT)
              .withStartupTimeout(LONGEST_START)
              // MariaDB images accept the same names.
              .withEnv("MYSQL_ROOT_PASSWORD", password)
              .withEnv("MYSQL_DATABASE", DATABASE);
      container.start();
      return container;
    } catch (RuntimeException e) {
      throw new TestServerException(
          ("no container of %s could be started (%s); Docker must run here, or name a server that"
                  + " runs already: %s")
              .formatted(image, e.getMessage(), TestServer.HOW_TO_NAME_ONE),
          e);
    }
  }

  private static String url(GenericContainer<?> container, String password) {
    return "jdbc:mysql://%s:%d/%s?user=root&password=%s&allowPublicKeyRetrieval=true"
        .formatted(container.getHost(), container.getMappedPort(PORT), DATABASE, password);
  }

  private static boolean answers(String url) {
    try (Connection connection = DriverManager.getConnection(url)) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }
}
