package io.rowqueue.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
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
    return new SpringApplicationBuilder(application)
        .web(WebApplicationType.NONE)
        .bannerMode(org.springframework.boot.Banner.Mode.OFF)
        .run(arguments(database, connections, properties).toArray(String[]::new));
  }

  static List<String> arguments(QueueDatabase database, int connections, String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.datasource.url=" + url(database),
                "--spring.datasource.hikari.maximum-pool-size=" + connections,
                "--spring.datasource.hikari.connection-timeout=3000",
                "--spring.jpa.hibernate.ddl-auto=none",
                "--spring.main.register-shutdown-hook=false",
                "--logging.level.root=WARN"));
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
  private static String url(QueueDatabase database) {
    return database.isMariaDb()
        ? database.url().replace("jdbc:mysql:", "jdbc:mariadb:")
        : database.url();
  }

  static int borrowed(ConfigurableApplicationContext context) {
    return context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
  }
}
