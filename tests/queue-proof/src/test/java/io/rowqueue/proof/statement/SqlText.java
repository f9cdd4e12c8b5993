package io.rowqueue.proof.statement;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Statements as people read them: a line each, keywords in capitals, lists cut short, and the same
 * where MySQL and MariaDB only spell it in another way.
 */
public final class SqlText {

  private static final Pattern KEYWORDS =
      Pattern.compile(
          "\\b(select|insert ignore into|insert into|update|delete|from|where|and|or|fetch"
              + " next|rows only|not|in|is null|order by|limit|for|skip locked|set|values|left"
              + " outer join|on|duplicate key|as|case|when|then|else|end|exists|force"
              + " index|force|index|coalesce|octet_length|utc_timestamp|interval|last_insert_id|union"
              + " all|distinct|microsecond|timestampadd|date_add|savepoint|release)\\b");
  private static final Pattern TABLE = Pattern.compile("(?:FROM|INTO|UPDATE|JOIN) (\\w+)");
  private static final Pattern LIST = Pattern.compile("\\(\\?(, \\?)+\\)|(?<=\\bIN )\\(\\?\\)");

  /** A row of VALUES, an alternative or a WHEN, and the same again. */
  private static final Pattern REPEATED =
      Pattern.compile("(, ?\\([^()]*\\)| OR \\([^()]*\\)| WHEN \\w+ = \\? THEN \\?)\\1+");

  private static final int HEAD = 60;

  private SqlText() {}

  /** The first words of {@link #line}. */
  static String head(String statement) {
    String text = line(statement);
    return text.length() <= HEAD ? text : text.substring(0, HEAD).strip() + " ...";
  }

  /** {@code statement} in one line. */
  public static String line(String statement) {
    String plain = statement.replace("`", "").replaceAll("\\s+", " ").strip();
    String upper =
        KEYWORDS.matcher(plain).replaceAll(word -> word.group().toUpperCase(Locale.ROOT));
    String listed = LIST.matcher(unqualified(upper)).replaceAll("(?, ...)");
    return REPEATED
        .matcher(listed)
        .replaceAll("$1")
        .replace(" AS excluded ON", " ON")
        .replaceAll("\\bexcluded\\.(\\w+)", "VALUES($1)")
        .replace("FETCH NEXT ? ROWS ONLY", "LIMIT ?");
  }

  /** Where there is one table, its columns need not say so. */
  private static String unqualified(String statement) {
    List<String> tables =
        TABLE.matcher(statement).results().map(table -> table.group(1)).distinct().toList();
    return tables.size() == 1 ? statement.replace(tables.get(0) + ".", "") : statement;
  }
}
