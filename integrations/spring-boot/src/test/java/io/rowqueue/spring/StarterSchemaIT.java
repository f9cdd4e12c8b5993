package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.SchemaException;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** RowQueue's tables, beside those that a team migrates by its own means. */
class StarterSchemaIT {

  private static final String DDL = "/io/rowqueue/migration/V1__queue.sql";
  private static final String WITHOUT_JPA =
      "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

  private QueueDatabase database;

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Application {}

  @BeforeEach
  void create() {
    database = QueueDatabase.createEmpty();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  /** The schema has tables, so Boot's Flyway would refuse it. */
  @Test
  void migrate_withoutFlywayOfTheApplication_createsTheTables() {
    database.execute(Applications.ITEM);
    try (var context = start()) {
      context.getBean(QueueTemplate.class).enqueue("a", "a");
      assertThat(context.containsBean("flyway")).isFalse();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
    assertThat(database.strings("SHOW TABLES")).doesNotContain("flyway_schema_history");
  }

  @Test
  void validate_withoutTables_refusesToStart() {
    assertThatThrownBy(() -> start("rowqueue.schema=validate"))
        .hasStackTraceContaining(SchemaException.class.getName());
  }

  @Test
  void migrate_withFlywayOfTheApplication_followsIt(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("V1__shop.sql"), Applications.ITEM);
    try (var context = start("spring.flyway.locations=filesystem:" + folder)) {
      context.getBean(QueueTemplate.class).enqueue("a", "a");
    }
    assertThat(database.strings("SHOW TABLES"))
        .contains("flyway_schema_history", "item", "queue_flyway_history");
  }

  @Test
  void ddl_runByTheApplicationsFlyway_isValid(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("V1__shop.sql"), Applications.ITEM);
    copyDdl(folder.resolve("V2__rowqueue.sql"));
    try (var context =
        start("rowqueue.schema=validate", "spring.flyway.locations=filesystem:" + folder)) {
      context.getBean(QueueTemplate.class).enqueue("a", "a");
    }
    assertThat(database.strings("SHOW TABLES"))
        .contains("flyway_schema_history")
        .doesNotContain("queue_flyway_history");
  }

  @Test
  void ddl_runByTheApplicationsLiquibase_isValid() {
    try (var context =
        start(
            "rowqueue.schema=validate",
            "spring.liquibase.change-log=classpath:changelog-with-rowqueue.xml")) {
      context.getBean(QueueTemplate.class).enqueue("a", "a");
      assertThat(context.containsBean("flyway")).isFalse();
    }
    assertThat(database.strings("SHOW TABLES"))
        .contains("DATABASECHANGELOG")
        .doesNotContain("queue_flyway_history");
  }

  private static void copyDdl(Path file) throws IOException {
    try (InputStream ddl = StarterSchemaIT.class.getResourceAsStream(DDL)) {
      Files.copy(Objects.requireNonNull(ddl), file);
    }
  }

  private ConfigurableApplicationContext start(String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add(WITHOUT_JPA);
    all.add("spring.data.jpa.repositories.enabled=false");
    return Applications.start(database, Application.class, 4, all.toArray(String[]::new));
  }
}
