package io.rowqueue.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What lets a schema be migrated while workers run: {@code docs/operations/upgrading.md} promises
 * it, and each script is held to it.
 */
class MigrationRulesTest {

  private static final Path SCRIPTS = Path.of("src/main/resources/io/rowqueue/migration");

  /** The start of a later script that keeps every rule. */
  private static final String GOOD =
      """
      -- What it is for; an ALTER TABLE in a comment is none.
      SET SESSION lock_wait_timeout = 10;
      INSERT INTO queue_schema (version, oldest_known) VALUES (2, 1);
      CREATE TABLE queue_later (id BIGINT NOT NULL PRIMARY KEY);
      CREATE INDEX queue_later_id ON queue_later (id);
      """;

  static List<Path> scripts() throws IOException {
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      return files.sorted().toList();
    }
  }

  @Test
  void scripts_areOneForEachVersionUpToTheKnownOne() throws IOException {
    assertThat(scripts())
        .extracting(script -> String.valueOf(script.getFileName()).replaceFirst("__.*", ""))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, QueueSchema.KNOWN_VERSION).mapToObj(v -> "V" + v).toList());
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void script_keepsTheRules(Path script) throws IOException {
    assertThat(MigrationRules.broken(version(script), Files.readString(script))).isEmpty();
  }

  /** Operators read there what a migration does to their table before they run it. */
  @ParameterizedTest
  @MethodSource("scripts")
  void script_hasItsRowInTheUpgradingPage_withTheAlgorithmsThatItStates(Path script)
      throws IOException {
    int version = version(script);
    assertThat(stated(version))
        .isEqualTo(MigrationRules.algorithms(version, Files.readString(script)));
  }

  /** What the page's row says; empty if there is none. */
  private static String stated(int version) throws IOException {
    Matcher row =
        Pattern.compile("(?m)^\\| " + version + " \\| [^|]+ \\| ([^|]+) \\| [^|]+ \\|$")
            .matcher(Files.readString(Path.of("../docs/operations/upgrading.md")));
    return row.find() ? row.group(1) : "";
  }

  @Test
  void page_withoutAVersion_statesNothing() throws IOException {
    assertThat(stated(QueueSchema.KNOWN_VERSION + 1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE INDEX queue_later_other ON queue_later (id)                 | –",
        "ALTER TABLE queue_message ADD COLUMN a INT NULL, ALGORITHM=INSTANT | `INSTANT`",
        "CREATE INDEX a ON queue_message (id) ALGORITHM=INPLACE LOCK=NONE   | `INPLACE` with"
            + " `LOCK=NONE`",
        "ALTER TABLE queue_message ADD COLUMN a INT NULL                    | –",
      })
  void algorithms_areThoseOfTablesThatExist(String statement, String algorithms) {
    assertThat(MigrationRules.algorithms(2, GOOD + statement + ";\n")).isEqualTo(algorithms);
  }

  private static int version(Path script) {
    return Integer.parseInt(String.valueOf(script.getFileName()).replaceAll("^V|__.*", ""));
  }

  @Test
  void rules_ofAGoodScript_areKept() {
    assertThat(MigrationRules.broken(2, GOOD)).isEmpty();
  }

  /** Or the rolling deploy of the fault harness would try what no release may do. */
  @Test
  void rules_ofTheMigrationThatTheFaultHarnessTries_areKept() throws IOException {
    String script =
        Files.readString(
            Path.of("../tests/queue-proof/src/main/resources/io/rowqueue/proof/fault/next.sql"));
    assertThat(MigrationRules.broken(2, script.replace("{next}", "2").replace("{known}", "1")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE queue_message ADD COLUMN a INT NULL, ALGORITHM=INSTANT",
        "ALTER TABLE queue_message ADD INDEX a (id), ALGORITHM = INPLACE, LOCK = NONE",
        "CREATE INDEX a ON queue_message (id) ALGORITHM=INPLACE LOCK=NONE",
        "/* [jooq ignore start] */ alter table queue_message\n add column a INT, algorithm=instant",
      })
  void rules_ofOnlineDdl_areKept(String statement) {
    assertThat(MigrationRules.broken(2, GOOD + statement + ";\n")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE queue_message ADD COLUMN a INT NULL",
        "ALTER TABLE queue_message ADD COLUMN a INT NULL, ALGORITHM=INPLACE",
        "ALTER TABLE queue_message ADD COLUMN a INT NULL, ALGORITHM=COPY, LOCK=NONE",
        "ALTER TABLE queue_message ADD COLUMN a INT NULL -- ALGORITHM=INSTANT",
        "ALTER TABLE queue_message ADD COLUMN a INT NOT NULL, ALGORITHM=INSTANT",
        "ALTER TABLE queue_message DROP COLUMN headers, ALGORITHM=INSTANT",
        "ALTER TABLE queue_message CHANGE lost_claims gone INT NOT NULL DEFAULT 0,"
            + " ALGORITHM=INSTANT",
        "ALTER TABLE queue_message RENAME COLUMN lost_claims TO gone, ALGORITHM=INSTANT",
        "CREATE INDEX a ON queue_message (id)",
        "CREATE UNIQUE INDEX a ON queue_message (id) ALGORITHM=INPLACE LOCK=NONE",
        "DROP INDEX queue_message_due ON queue_message",
        "DROP TABLE queue_counter",
        "RENAME TABLE queue_counter TO queue_count",
        "TRUNCATE TABLE queue_message",
        "UPDATE queue_message SET lost_claims = 0",
        "DELETE FROM queue_message",
        "INSERT INTO queue_message (topic, payload) SELECT topic, payload FROM queue_dead_letter",
      })
  void rules_ofWhatABigLiveTableCannotBear_areBroken(String statement) {
    assertThat(MigrationRules.broken(2, GOOD + statement + ";\n")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lock_wait_timeout = 10", "VALUES (2, 1)", "INSERT INTO queue_schema"})
  void rules_ofAScriptThatLacksALine_areBroken(String line) {
    assertThat(MigrationRules.broken(2, GOOD.replace(line, ""))).isNotEmpty();
  }

  @Test
  void rules_ofAScriptThatShutsOutTheVersionBefore_areBroken() {
    assertThat(MigrationRules.broken(2, GOOD.replace("(2, 1)", "(2, 2)")))
        .containsExactly("version 1 may not run beside it: oldest_known is 2");
  }
}
