package io.rowqueue.worker.internal.grant;

import io.rowqueue.worker.Role;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One privilege of a script.
 *
 * @param privilege such as {@code UPDATE}
 * @param columns the columns it is limited to; empty for all
 * @param table the unqualified table name; {@code *} for more than one table
 */
public record Grant(String privilege, List<String> columns, String table) {

  private static final Pattern STATEMENT =
      Pattern.compile("(?m)^GRANT (.+) ON \\S+?\\.(\\S+) TO \\{account};$");

  /** Statements for one server only; privileges are named as in MySQL. */
  private static final Pattern MARIADB_ONLY = Pattern.compile("/\\*M! .*? \\*/");

  private static final Pattern MYSQL_ONLY = Pattern.compile("/\\*!80000 (.*?) \\*/");

  private static final Pattern PRIVILEGE =
      Pattern.compile("([A-Z_]+(?: [A-Z_]+)*)(?: \\(([^)]*)\\))?");

  public Grant {
    columns = List.copyOf(columns);
  }

  /** Returns the script of {@code role}, with placeholders for schema and account. */
  public static String script(Role role) {
    String name = role.label() + ".sql";
    try (InputStream script = Grant.class.getResourceAsStream(name)) {
      if (script == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the jar's own " + name + " cannot be read", e);
    }
  }

  public static List<Grant> of(Role role) {
    return in(script(role));
  }

  public static List<Grant> in(String script) {
    List<Grant> grants = new ArrayList<>();
    String read = MYSQL_ONLY.matcher(MARIADB_ONLY.matcher(script).replaceAll("")).replaceAll("$1");
    for (MatchResult statement : results(STATEMENT, read)) {
      for (MatchResult each : results(PRIVILEGE, statement.group(1))) {
        List<String> columns =
            each.group(2) == null ? List.of() : Arrays.asList(each.group(2).split(", ", -1));
        grants.add(new Grant(each.group(1), columns, statement.group(2)));
      }
    }
    return List.copyOf(grants);
  }

  private static List<MatchResult> results(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }

  /** Returns a read-only statement that requires this privilege; empty if there is none. */
  Optional<String> probe() {
    if (table.equals("*")) {
      return Optional.empty();
    }
    return switch (privilege) {
      case "SELECT" -> Optional.of("EXPLAIN SELECT " + columnsOr("*") + " FROM " + table);
      case "INSERT" -> Optional.of("EXPLAIN INSERT INTO " + table + " " + row());
      case "UPDATE" -> Optional.of("EXPLAIN UPDATE " + table + " SET " + assignments());
      case "DELETE" -> Optional.of("EXPLAIN DELETE FROM " + table + " WHERE FALSE");
      default -> Optional.empty();
    };
  }

  private String row() {
    return "(" + columnsOr("") + ") VALUES (" + columnsAs(column -> "NULL") + ")";
  }

  /**
   * Uses a column that no table has: the servers check the table's privilege before its columns.
   */
  private String assignments() {
    if (columns.isEmpty()) {
      return "no_such_column = NULL";
    }
    return columnsAs(column -> column + " = NULL") + " WHERE FALSE";
  }

  private String columnsOr(String all) {
    return columns.isEmpty() ? all : String.join(", ", columns);
  }

  private String columnsAs(UnaryOperator<String> text) {
    return columns.stream().map(text).collect(Collectors.joining(", "));
  }

  /** Returns it for people, such as {@code INSERT on queue_attempt}. */
  @Override
  public String toString() {
    String limited = columns.isEmpty() ? "" : " (" + String.join(", ", columns) + ")";
    return privilege + limited + " on " + table;
  }
}
