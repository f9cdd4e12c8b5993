package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.internal.table.DefaultSchema;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.Named;
import org.jooq.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the classes that were generated without a database, and the schema's own promises, hold on
 * a real one. Method: the migrated schema's catalogue against the generated one.
 */
@QueueTest
class SchemaIT {

  private static final String KEYS =
      "SELECT CONCAT(table_name, ' (', GROUP_CONCAT(column_name ORDER BY seq_in_index), ')')"
          + " FROM information_schema.statistics WHERE table_schema = DATABASE() ";

  private static final String INSERT = "INSERT INTO queue_message (topic, payload) VALUES ";

  private final QueueDatabase database;

  SchemaIT(QueueDatabase database) {
    this.database = database;
  }

  static Stream<Table<?>> generated() {
    return DefaultSchema.DEFAULT_SCHEMA.getTables().stream();
  }

  @Test
  void tables_onTheServer_areTheGeneratedOnes() {
    assertThat(
            database.strings(
                """
                SELECT table_name FROM information_schema.tables
                WHERE table_schema = DATABASE() AND table_name <> 'queue_flyway_history'
                """))
        .containsExactlyInAnyOrderElementsOf(generated().map(Named::getName).toList());
  }

  @ParameterizedTest
  @MethodSource("generated")
  void columns_onTheServer_areTheGeneratedOnes(Table<?> table) {
    assertThat(
            database.strings(
                """
                SELECT CONCAT(column_name, ' ',
                  CASE
                    WHEN data_type LIKE '%%text' THEN 'clob'
                    WHEN data_type LIKE '%%blob' THEN 'blob'
                    WHEN data_type = 'varchar' THEN CONCAT('varchar(', character_maximum_length, ')')
                    WHEN data_type = 'datetime' THEN CONCAT('datetime(', datetime_precision, ')')
                    ELSE data_type END,
                  IF(is_nullable = 'YES', '', ' not null'),
                  IF(extra LIKE '%%auto_increment%%', ' identity', ''))
                FROM information_schema.columns
                WHERE table_schema = DATABASE() AND table_name = '%s' ORDER BY ordinal_position
                """
                    .formatted(table.getName())))
        .containsExactlyElementsOf(table.fieldStream().map(SchemaIT::column).toList());
  }

  @ParameterizedTest
  @MethodSource("generated")
  void defaults_thatWereGenerated_areTheServers(Table<?> table) {
    for (Field<?> field : table.fieldsRow().fields()) {
      Field<?> expected = field.getDataType().default_();
      if (expected != null) {
        // MariaDB quotes what MySQL shows bare.
        assertThat(
                database.strings(
                    """
                    SELECT TRIM(BOTH '''' FROM column_default) FROM information_schema.columns
                    WHERE table_schema = DATABASE() AND table_name = '%s' AND column_name = '%s'
                    """
                        .formatted(table.getName(), field.getName())))
            .describedAs("default of %s.%s", table.getName(), field.getName())
            .containsExactly(expected.toString().replace("'", ""));
      }
    }
  }

  @Test
  void primaryKeys_onTheServer_areTheGeneratedOnes() {
    assertThat(
            database.strings(
                KEYS
                    + "AND index_name = 'PRIMARY' AND table_name <> 'queue_flyway_history' GROUP BY"
                    + " table_name"))
        .containsExactlyInAnyOrderElementsOf(
            generated()
                .map(
                    table ->
                        "%s (%s)"
                            .formatted(
                                table.getName(),
                                String.join(
                                    ",",
                                    table.getPrimaryKey().getFields().stream()
                                        .map(Named::getName)
                                        .toList())))
                .toList());
  }

  /** Which no statement names, but all are sent for. */
  @Test
  void otherKeys_onTheServer_areThese() {
    assertThat(
            database.strings(
                KEYS
                    + "AND index_name <> 'PRIMARY' AND non_unique AND table_name <>"
                    + " 'queue_flyway_history' GROUP BY table_name, index_name"))
        .containsExactlyInAnyOrder(
            "queue_message (topic,state,priority,id)",
            "queue_message (state,due_at)",
            "queue_dead_letter (topic,id)",
            "queue_dead_letter (dead_at)",
            "queue_dead_letter (topic,dead_at)",
            "queue_dead_letter (topic,fingerprint,dead_at)",
            "queue_archive (topic,settled_day,id)",
            "queue_audit (at)",
            "queue_audit (target)",
            "queue_schedule (paused,next_at)",
            "queue_payload_ref (store,reference)",
            "queue_result (expires_at)",
            "queue_batch (completed_at)",
            "queue_batch (cancelled,completed_at)",
            "queue_batch (parent_shard)",
            "queue_chain (batch_id)",
            "queue_ordering_group (needs_release,next_at)");
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM information_schema.statistics WHERE"
                    + " table_schema = DATABASE() AND index_name <> 'PRIMARY' AND NOT non_unique"))
        .isZero();
  }

  @Test
  void plainInsert_fromSessionAtPlusFive_getsUtcDefaults() {
    database.execute("SET time_zone = '+05:00'", INSERT + "('plain', '{}')");

    assertThat(
            database.count(
                """
                SELECT GREATEST(
                  ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(6))),
                  ABS(TIMESTAMPDIFF(SECOND, due_at, UTC_TIMESTAMP(6))),
                  ABS(TIMESTAMPDIFF(SECOND, updated_at, UTC_TIMESTAMP(6))))
                FROM queue_message WHERE topic = 'plain' AND state = 0
                """))
        .isLessThan(10);
  }

  @Test
  void plainInsert_createdAt_isThisJvmsUtcWithinSeconds() {
    database.execute("SET time_zone = '+05:00'", INSERT + "('plain', '{}')");

    long created =
        LocalDateTime.parse(
                database
                    .strings(
                        "SELECT DATE_FORMAT(created_at, '%Y-%m-%dT%H:%i:%s') FROM queue_message")
                    .get(0))
            .toEpochSecond(ZoneOffset.UTC);
    assertThat(created).isBetween(epochSecond() - 60, epochSecond() + 60);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "email ", " ", "e  "})
  void plainInsert_topicThatEqualsAnother_isRefused(String topic) {
    assertThatThrownBy(() -> database.execute(INSERT + "('" + topic + "', '{}')"))
        .hasMessageContaining("queue_message_topic");
  }

  @Test
  void topics_inAnotherCase_areOthers() {
    database.execute(INSERT + "('email', '{}'), ('Email', '{}')");

    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'email'"))
        .isEqualTo(1);
  }

  private static long epochSecond() {
    return Instant.now().getEpochSecond();
  }

  private static String column(Field<?> field) {
    DataType<?> type = field.getDataType();
    return field.getName()
        + " "
        + type(type)
        + (type.nullable() ? "" : " not null")
        + (type.identity() ? " identity" : "");
  }

  private static String type(DataType<?> type) {
    String name = type.getSQLDataType().getTypeName();
    return switch (name) {
      case "integer" -> "int";
      case "varchar" -> "varchar(" + type.length() + ")";
      case "timestamp" -> "datetime(" + type.precision() + ")";
      default -> name;
    };
  }
}
