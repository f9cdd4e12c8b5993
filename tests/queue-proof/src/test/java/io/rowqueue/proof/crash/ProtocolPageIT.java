package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.statement.SqlText;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Tap.Sent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class ProtocolPageIT {

  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");

  @Test
  void sections_areTheTransitionsInTheirOrder() throws IOException {
    assertThat(ProtocolPage.read().transitions())
        .containsExactlyElementsOf(
            Arrays.stream(Transition.values()).map(Transition::label).toList());
  }

  @ParameterizedTest
  @EnumSource(Transition.class)
  void section_hasNoEmptyCell(Transition transition) throws IOException {
    ProtocolPage page = ProtocolPage.read();
    for (String row : ProtocolPage.ROWS) {
      assertThat(page.cell(transition, row)).as(row).isNotEmpty();
    }
  }

  @Test
  void sections_sayWhatDiesAtTheirCommits() throws IOException {
    ProtocolPage page = ProtocolPage.read();
    if (UPDATE) {
      for (Transition transition : Transition.values()) {
        page.updateCell(transition, "shown by", shownBy(transition));
      }
      page.write();
    }
    for (Transition transition : Transition.values()) {
      assertThat(page.cell(transition, "shown by")).isEqualTo(shownBy(transition));
    }
  }

  private static String shownBy(Transition transition) {
    Stream<String> operations =
        Operations.all().stream()
            .filter(operation -> operation.transition() == transition)
            .map(Operation::toString);
    Stream<String> scenes =
        Arrays.stream(Scene.values())
            .filter(scene -> scene.transition() == transition)
            .map(scene -> "process " + scene);
    return Stream.concat(operations, scenes).collect(Collectors.joining("; ", "`CrashIT`: ", ""));
  }

  @Test
  void sql_isWhatThisServerIsSent(QueueDatabase database) throws IOException {
    String server = database.isMariaDb() ? "MariaDB" : "MySQL";
    Map<Transition, String> sent = ProtocolSql.of(database);
    ProtocolPage page = ProtocolPage.read();
    if (UPDATE) {
      sent.forEach((transition, sql) -> page.update(transition, server, sql));
      page.write();
    }
    for (Transition transition : Transition.values()) {
      assertThat(page.sql(transition, server))
          .as(transition.label())
          .isEqualTo(sent.get(transition));
    }
  }

  /** {@code docs/protocol.md}: a section a transition, each with a table and its SQL. */
  static final class ProtocolPage {

    /** The rows that every section's table has, in order. */
    static final List<String> ROWS =
        List.of(
            "run by",
            "locks, in order",
            "1 row",
            "fewer, or 0 rows",
            "killed before its COMMIT",
            "killed during its COMMIT",
            "killed after its COMMIT",
            "shown by");

    private static final Path FILE = Path.of("..", "..", "docs", "protocol.md");
    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```\n", Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("(?m)^## (.+)\n");
    private static final String BOTH = "-- On both servers\n";

    private String text;

    private ProtocolPage(String text) {
      this.text = text;
    }

    static ProtocolPage read() throws IOException {
      return new ProtocolPage(Files.readString(FILE));
    }

    void write() throws IOException {
      Files.writeString(FILE, text);
    }

    /** The transitions that have a section, in order. */
    List<String> transitions() {
      List<String> labels = Arrays.stream(Transition.values()).map(Transition::label).toList();
      return HEADING
          .matcher(text)
          .results()
          .map(heading -> heading.group(1))
          .filter(labels::contains)
          .toList();
    }

    /** What stands in the table beside {@code row}; empty if there is no such row. */
    String cell(Transition transition, String row) {
      Matcher matcher =
          Pattern.compile("(?m)^\\| " + Pattern.quote(row) + " \\| (.*) \\|$")
              .matcher(section(transition));
      return matcher.find() ? matcher.group(1).strip() : "";
    }

    /** Writes {@code text} into the table beside {@code row}. */
    void updateCell(Transition transition, String row, String text) {
      String old = section(transition);
      String from = "| " + row + " | " + cell(transition, row) + " |";
      this.text = this.text.replace(old, old.replace(from, "| " + row + " | " + text + " |"));
    }

    /** The SQL that the page shows for {@code server}. */
    String sql(Transition transition, String server) {
      Matcher matcher = SQL.matcher(section(transition));
      while (matcher.find()) {
        String block = matcher.group(1);
        if (block.startsWith(BOTH)) {
          return block.substring(BOTH.length());
        }
        if (block.startsWith(title(server))) {
          return block.substring(title(server).length());
        }
      }
      return "";
    }

    /** Shows {@code sql} for {@code server}, and what is there for the other one. */
    void update(Transition transition, String server, String sql) {
      String other = server.equals("MySQL") ? "MariaDB" : "MySQL";
      String others = sql(transition, other);
      String old = section(transition);
      String blocks =
          others.isEmpty() || others.equals(sql)
              ? block(BOTH, sql)
              : Stream.of(block(title(server), sql), block(title(other), others))
                  .sorted()
                  .collect(Collectors.joining("\n"));
      String without = SQL.matcher(old).replaceAll("").stripTrailing();
      text = text.replace(old, without + "\n\n" + blocks + "\n");
    }

    private static String block(String title, String sql) {
      return "```sql\n" + title + sql + "```\n";
    }

    private static String title(String server) {
      return "-- On " + server + "\n";
    }

    private String section(Transition transition) {
      int start = text.indexOf("## " + transition.label() + "\n");
      if (start < 0) {
        throw new AssertionError("docs/protocol.md has no section '" + transition.label() + "'");
      }
      int end = text.indexOf("\n## ", start);
      return end < 0 ? text.substring(start) : text.substring(start, end + 1);
    }
  }

  /** What each transition sends to the server, as {@code docs/protocol.md} shows it. */
  static final class ProtocolSql {

    private ProtocolSql() {}

    /** Runs every transition once, on {@code database}. */
    public static Map<Transition, String> of(QueueDatabase database) {
      Map<Transition, String> sql = new TreeMap<>();
      try (OperationRunner runner = new OperationRunner(database)) {
        for (Operation operation : Operations.all()) {
          if (operation.onPage()) {
            sql.merge(
                operation.transition(),
                text(operation, runner.run(operation)),
                (before, now) -> before + "\n" + now);
          }
        }
      }
      return Map.copyOf(sql);
    }

    private static String text(Operation operation, Outcome outcome) {
      String text = SqlText.of(outcome.sent().stream().map(Sent::sql).toList());
      return operation.variant().isEmpty() ? text : "-- " + operation.variant() + "\n" + text;
    }
  }
}
