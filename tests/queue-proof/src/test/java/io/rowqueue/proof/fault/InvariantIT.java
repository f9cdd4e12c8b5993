package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the invariants say of broken promises: none of them holds by itself. {@code planted.sql} has
 * a mistake for each.
 */
class InvariantIT {

  private static final Pattern SHORT = Pattern.compile("\\$(\\w)\\(([^)]*)\\)");

  private static QueueDatabase database;

  /** One of {@code planted.sql}. */
  record Planted(String name, String holds, String mistake, List<String> findings) {
    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void open() {
    database = QueueDatabase.create();
    Ledger.create(database);
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void clean() {
    clean(database);
    FeatureClients.makeCounter(database);
  }

  static void clean(QueueDatabase database) {
    database.clean();
    database.execute(
        database
            .strings(
                "SELECT CONCAT('DELETE FROM ', table_name) FROM information_schema.tables WHERE"
                    + " table_schema = DATABASE() AND table_type = 'BASE TABLE'"
                    + " AND table_name NOT LIKE 'queue\\_%'")
            .toArray(String[]::new));
    database.execute("ALTER TABLE keyed AUTO_INCREMENT = 1");
  }

  private static List<Planted> planted() throws IOException {
    List<Planted> all = new ArrayList<>();
    for (String each : resource().split("\n-- PLANT ", -1)) {
      String[] parts = each.split("\n-- MISTAKE", 2);
      if (parts.length == 2) {
        String[] found = parts[1].split("\n-- FINDS ", -1);
        all.add(
            new Planted(
                parts[0].lines().findFirst().orElseThrow(),
                parts[0].substring(parts[0].indexOf('\n')),
                found[0],
                Stream.of(found).skip(1).map(String::strip).toList()));
      }
    }
    return all;
  }

  private static String resource() throws IOException {
    try (InputStream text = InvariantIT.class.getResourceAsStream("planted.sql")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static List<Planted> mistakes() throws IOException {
    return planted().stream().filter(each -> !each.name.contains(" ")).toList();
  }

  private static void execute(String statements) {
    String written = SHORT.matcher(statements).replaceAll(InvariantIT::expand);
    database.execute(
        Stream.of(written.split(";\\s", -1))
            .map(String::strip)
            .filter(statement -> !statement.isEmpty())
            .toArray(String[]::new));
  }

  private static String expand(MatchResult match) {
    Object[] words = match.group(2).split(", ", -1);
    String sql =
        switch (match.group(1)) {
          case "E" -> "INSERT INTO enqueued VALUES (%s, '%s', 'SUCCEED', %s, NULL, 0)";
          case "F" -> "INSERT INTO effect (message_id, claim, pid) VALUES (%s, %s, 1)";
          case "D" ->
              "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts,"
                  + " lost_claims, reason, detail, worker, due_at, created_at, dead_at, payload)"
                  + " VALUES (%s, '%s', 0, 1, 1, 0, '%s', '', '', UTC_TIMESTAMP(6),"
                  + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '')";
          case "A" ->
              "INSERT INTO %2$s (message_id, claim_number, attempt, worker, failed_at, error_class,"
                  + " error_message, error_trace) VALUES (%1$s, 1, 1, '', UTC_TIMESTAMP(6), 'E',"
                  + " '', '')";
          case "R" ->
              "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content) VALUES"
                  + " (%s, 'fault.result', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '%s')";
          case "M" ->
              "INSERT INTO schedule_move (schedule, due, moment, next_moment, moved_at, ran) VALUES"
                  + " ('%s', %s, %s, %s, %s, %s)";
          case "C" ->
              "INSERT INTO completed VALUES (%s, 'total=%s done=%s failed=%s cancelled=%s', %s,"
                  + " %s)";
          case "K" -> "INSERT INTO enqueued VALUES (%s, 'fault.keyed.%s', '', NULL, '%s', 0)";
          // Its content is the number of its row.
          case "O" ->
              "INSERT INTO keyed (topic, dedup_key, message_id, outcome, content, gone, beside,"
                  + " state) SELECT 'fault.keyed.%s', '%s', %s, '%s', COUNT(*) + 1, %s, %s, %s FROM"
                  + " keyed";
          default -> throw new IllegalArgumentException(match.group());
        };
    return Matcher.quoteReplacement(sql.formatted(words));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void mistake_isFound_andWhatHoldsIsNot(Planted planted) {
    Invariant invariant =
        Invariant.ALL.stream()
            .filter(each -> each.name().equals(planted.name))
            .findFirst()
            .orElseThrow();
    execute(planted.holds);
    assertThat(invariant.findings(database)).isEmpty();
    execute(planted.mistake);
    assertThat(invariant.findings(database))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(planted.findings);
  }

  @Test
  void everyInvariant_hasAMistake() throws IOException {
    assertThat(mistakes())
        .extracting(Planted::name)
        .containsExactlyInAnyOrderElementsOf(
            Invariant.ALL.stream()
                .filter(each -> each.kind() == Invariant.Kind.BROKEN)
                .map(Invariant::name)
                .toList());
  }

  @Test
  void nothing_isNoSuccess_andEverythingIs() throws IOException {
    assertThat(Invariant.findings(database, Invariant.Kind.BROKEN)).isEmpty();
    assertThat(Invariant.findings(database, Invariant.Kind.NOT_EXERCISED))
        .hasSize(47)
        .containsEntry(
            "batches", List.of("there were no batches, so that nothing is shown of them"));
    Planted all =
        planted().stream().filter(each -> each.name.contains(" ")).findFirst().orElseThrow();
    execute(all.holds);
    assertThat(Invariant.findings(database, Invariant.Kind.NOT_EXERCISED)).isEmpty();
  }
}
