package io.rowqueue.testkit.server;

import org.jspecify.annotations.Nullable;

/**
 * The database server of this JVM's tests: the one that the system property {@code
 * rowqueue.test.url} or the environment variable {@code ROWQUEUE_TEST_URL} names, or an embedded
 * MariaDB that is started at the first use and shared by all. Thread-safe.
 */
public final class TestServer {

  private static @Nullable TestServer shared;

  private final String url;

  private TestServer(String url) {
    this.url = url;
  }

  /** The server, started now if it is not yet. */
  public static synchronized TestServer shared() {
    TestServer server = shared;
    if (server == null) {
      String given = given();
      server = new TestServer(given == null ? embedded() : given);
      shared = server;
    }
    return server;
  }

  /**
   * The JDBC URL of {@code database} on the server, with user and password in it.
   *
   * @param database a schema that exists
   */
  public String url(String database) {
    return url.replaceFirst("^(jdbc:mysql://[^/]+/)[^?]*", "$1" + database);
  }

  private static @Nullable String given() {
    String property = System.getProperty("rowqueue.test.url");
    String given =
        property == null || property.isBlank() ? System.getenv("ROWQUEUE_TEST_URL") : property;
    return given == null || given.isBlank() ? null : given;
  }

  private static String embedded() {
    EmbeddedMariaDb server = EmbeddedMariaDb.start("--innodb-flush-log-at-trx-commit=2");
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-test-server"));
    return server.jdbcUrl("it") + "?user=" + server.user() + "&password=" + server.password();
  }
}
