package io.rowqueue.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications on a test's schema. */
final class Applications {

  static final String ITEM =
      "CREATE TABLE IF NOT EXISTS item (name VARCHAR(100) PRIMARY KEY, writer VARCHAR(20) NOT"
          + " NULL)";

  private Applications() {}

  /** With a pool of {@code connections}. */
  static ConfigurableApplicationContext start(
      QueueDatabase database, Class<?> application, int connections, String... properties) {
    return start(WebApplicationType.NONE, database, application, connections, properties);
  }

  /** With a web server on a port of its own, and a user "ada" with the password "secret". */
  static ConfigurableApplicationContext startWeb(
      QueueDatabase database, Class<?> application, int connections, String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "server.port=0",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-components=always",
                "management.endpoint.health.show-details=always",
                "spring.security.user.name=ada",
                "spring.security.user.password=secret",
                "spring.security.user.roles=OPERATOR"));
    all.addAll(List.of(properties));
    return start(
        WebApplicationType.SERVLET, database, application, connections, all.toArray(String[]::new));
  }

  /** Sends a request as the user "ada". */
  static HttpResponse<String> get(ConfigurableApplicationContext context, String path) {
    return send(context, path, Applications::asAda);
  }

  static HttpRequest.Builder asAda(HttpRequest.Builder builder) {
    String ada = Base64.getEncoder().encodeToString("ada:secret".getBytes(StandardCharsets.UTF_8));
    return builder.header("Authorization", "Basic " + ada);
  }

  /** Sends a request to the web server of {@code context}. */
  static HttpResponse<String> send(
      ConfigurableApplicationContext context,
      String path,
      UnaryOperator<HttpRequest.Builder> with) {
    return send(context.getEnvironment().getRequiredProperty("local.server.port"), path, with);
  }

  /** Sends a request to the web server on {@code port}. */
  static HttpResponse<String> send(
      String port, String path, UnaryOperator<HttpRequest.Builder> with) {
    URI uri = URI.create("http://localhost:" + port + path);
    try {
      return HttpClient.newHttpClient()
          .send(
              with.apply(HttpRequest.newBuilder(uri)).build(),
              HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ConfigurableApplicationContext start(
      WebApplicationType web,
      QueueDatabase database,
      Class<?> application,
      int connections,
      String... properties) {
    return new SpringApplicationBuilder(application)
        .web(web)
        .bannerMode(org.springframework.boot.Banner.Mode.OFF)
        .run(arguments(database, connections, properties).toArray(String[]::new));
  }

  /** Starts {@code application} in a process of its own, which writes to {@code log}. */
  static Process startApart(
      String classPath, Path log, Class<?> application, List<String> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Drowqueue.test.halts=true",
                "-cp",
                classPath,
                application.getName()));
    command.addAll(arguments);
    // A machine under load needs longer for its first connections.
    command.replaceAll(argument -> argument.replace("timeout=3000", "timeout=60000"));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  static List<String> arguments(QueueDatabase database, int connections, String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.datasource.url=" + url(database),
                "--spring.datasource.hikari.maximum-pool-size=" + connections,
                "--spring.datasource.hikari.connection-timeout=3000",
                "--spring.jpa.hibernate.ddl-auto=none",
                "--spring.main.register-shutdown-hook=false"));
    for (String property : properties) {
      arguments.add("--" + property);
    }
    if (!arguments.toString().contains("spring.liquibase")) {
      arguments.add("--spring.liquibase.enabled=false");
    }
    // Boot 4 configures Flyway only with a module, which these tests add.
    if (SpringBootVersion.getVersion().startsWith("4.")
        && !arguments.toString().contains("spring.flyway")) {
      arguments.add("--spring.flyway.enabled=false");
    }
    return arguments;
  }

  /** With the server's own driver, as Hibernate needs it. */
  static String url(QueueDatabase database) {
    return database.isMariaDb()
        ? database.url().replace("jdbc:mysql:", "jdbc:mariadb:")
        : database.url();
  }

  static String urlWithoutAccount(QueueDatabase database) {
    return url(database).replaceFirst("[?].*", "?allowPublicKeyRetrieval=true");
  }

  static int borrowed(ConfigurableApplicationContext context) {
    return context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
  }
}
