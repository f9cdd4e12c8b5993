package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.table.DefaultSchema;
import io.rowqueue.worker.migrate.Migrator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jooq.Field;
import org.jooq.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class SchemaIT {

  @Test
  void generatedTables_againstTheServer_haveTheSameColumnsAndKeys(QueueDatabase database) {
    for (Table<?> table : DefaultSchema.DEFAULT_SCHEMA.getTables()) {
      assertThat(columns(database, table.getName()))
          .describedAs(table.getName())
          .containsExactlyElementsOf(table.fieldStream().map(SchemaIT::generatedColumn).toList());
      assertThat(key(database, table.getName(), "PRIMARY"))
          .describedAs("primary key of " + table.getName())
          .containsExactlyElementsOf(
              table.getPrimaryKey().getFields().stream().map(Field::getName).toList());
      table
          .getIndexes()
          .forEach(
              index ->
                  assertThat(key(database, table.getName(), index.getName()))
                      .describedAs(index.getName())
                      .containsExactlyElementsOf(
                          index.getFields().stream().map(field -> field.getName()).toList()));
    }
  }

  private static List<String> columns(QueueDatabase database, String table) {
    return database.strings(
        """
        SELECT CONCAT(column_name, ' ', UPPER(data_type), ' ', is_nullable)
        FROM information_schema.columns WHERE table_schema = '%s' AND table_name = '%s'
        ORDER BY ordinal_position
        """
            .formatted(database.name(), table));
  }

  private static String generatedColumn(Field<?> field) {
    String type =
        switch (field.getDataType().getSQLDataType().getTypeName()) {
          case "integer" -> "INT";
          case "timestamp" -> "DATETIME";
          case "clob" -> longText(field);
          case "blob" -> "LONGBLOB";
          default ->
              field.getDataType().getSQLDataType().getTypeName().toUpperCase(java.util.Locale.ROOT);
        };
    return "%s %s %s"
        .formatted(field.getName(), type, field.getDataType().nullable() ? "YES" : "NO");
  }

  /** jOOQ's reader knows one CLOB; the migration says which of the server's texts it is. */
  private static String longText(Field<?> field) {
    return switch (field.getName()) {
      case "error_trace" -> "MEDIUMTEXT";
      case "error_message", "detail" -> "TEXT";
      default -> "LONGTEXT";
    };
  }

  private static List<String> key(QueueDatabase database, String table, String name) {
    return database.strings(
        """
        SELECT column_name FROM information_schema.statistics
        WHERE table_schema = '%s' AND table_name = '%s' AND index_name = '%s' ORDER BY seq_in_index
        """
            .formatted(database.name(), table, name));
  }

  @Test
  void plainInsert_fromSessionAtPlusFive_getsUtcDefaults(QueueDatabase database) {
    database.execute(
        "SET time_zone = '+05:00'",
        "INSERT INTO queue_message (topic, payload) VALUES ('plain', '{}')");

    assertThat(
            database.count(
                """
                SELECT ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(6)))
                     + ABS(TIMESTAMPDIFF(SECOND, due_at, UTC_TIMESTAMP(6)))
                     + ABS(TIMESTAMPDIFF(SECOND, updated_at, UTC_TIMESTAMP(6)))
                FROM queue_message WHERE topic = 'plain' AND state = 0
                """))
        .isLessThan(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "email ", " "})
  void plainInsert_topicThatEqualsAnother_isRefused(String topic, QueueDatabase database) {
    assertThatThrownBy(
            () ->
                database.execute(
                    "INSERT INTO queue_message (topic, payload) VALUES ('" + topic + "', '{}')"))
        .hasMessageContaining("queue_message_topic");
  }

  @Test
  void migrate_fourAtOnceBesideTheTeamsTables_allSucceed() {
    try (QueueDatabase database = QueueDatabase.createEmpty()) {
      database.execute("CREATE TABLE shop_order (id INT PRIMARY KEY)");
      List<CompletableFuture<Migrator.Migrated>> four =
          IntStream.range(0, 4)
              .mapToObj(
                  i -> CompletableFuture.supplyAsync(() -> Migrator.migrate(database.dataSource())))
              .toList();

      assertThat(four).allSatisfy(one -> assertThat(one.join().to()).isEqualTo(1));
      assertThat(database.count("SELECT COUNT(*) FROM queue_schema")).isEqualTo(1);
      assertThat(database.count("SELECT COUNT(*) FROM queue_identity")).isEqualTo(1);
    }
  }
}
