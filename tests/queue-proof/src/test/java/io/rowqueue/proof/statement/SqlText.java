package io.rowqueue.proof.statement;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Statements as people read them: keywords in capitals, a clause a line, long lists cut short. */
public final class SqlText {

  private static final Pattern CLAUSES =
      Pattern.compile(
          "(?<!DELETE) (?=(FROM|WHERE|ORDER BY|LIMIT|FETCH NEXT|FOR UPDATE|SET|VALUES|LEFT OUTER"
              + " JOIN|ON DUPLICATE|SELECT)\\b)");
  private static final Pattern KEYWORDS =
      Pattern.compile(
          "\\b(select|insert ignore into|insert into|update|delete|from|where|and|or|fetch"
              + " next|rows only|not|in|is null|order by|limit|for|skip locked|set|values|left"
              + " outer join|on|duplicate key|as|case|when|then|else|end|exists|force"
              + " index|force|index|coalesce|octet_length|utc_timestamp|interval|last_insert_id|union"
              + " all|distinct|microsecond|timestampadd|date_add|savepoint|release)\\b");
  private static final Pattern TABLE = Pattern.compile("(?:FROM|INTO|UPDATE|JOIN) (\\w+)");
  private static final Pattern LIST = Pattern.compile("\\(\\?(, \\?)+\\)");
  private static final int WIDTH = 120;
  private static final int HEAD = 60;

  private SqlText() {}

  public static String of(List<String> statements) {
    StringBuilder text = new StringBuilder();
    for (String statement : statements) {
      text.append(of(statement)).append('\n');
    }
    return text.toString().replace("ROLLBACK;\n", "-- a look without locks, rolled back\n");
  }

  /** The first words, for a line. */
  static String head(String statement) {
    String text = of(statement).replaceAll("\\s+", " ").replaceAll(";$", "");
    return text.length() <= HEAD ? text : text.substring(0, HEAD).strip() + " ...";
  }

  private static String of(String statement) {
    String plain = statement.replace("`", "").replaceAll("\\s+", " ").strip();
    String upper =
        KEYWORDS.matcher(plain).replaceAll(word -> word.group().toUpperCase(Locale.ROOT));
    String shortened = LIST.matcher(unqualified(upper)).replaceAll("(?, ...)");
    return wrapped(CLAUSES.matcher(shortened).replaceAll("\n  ")) + ";";
  }

  /** Where there is one table, its columns need not say so. */
  private static String unqualified(String statement) {
    List<String> tables =
        TABLE.matcher(statement).results().map(table -> table.group(1)).distinct().toList();
    return tables.size() == 1 ? statement.replace(tables.get(0) + ".", "") : statement;
  }

  private static String wrapped(String text) {
    StringBuilder wrapped = new StringBuilder();
    int column = 0;
    for (String word : text.split("(?<=\\s)", -1)) {
      if (column + word.length() > WIDTH) {
        wrapped.append("\n    ");
        column = 4;
      }
      wrapped.append(word);
      column = word.endsWith("\n") ? 0 : column + word.length();
    }
    return wrapped.toString().replaceAll("[ ]+\n", "\n");
  }
}
