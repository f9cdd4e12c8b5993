package io.rowqueue.proof.crash;

import io.rowqueue.database.Transition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code docs/protocol.md}: a section a transition, each with a table and its SQL. */
final class ProtocolPage {

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
