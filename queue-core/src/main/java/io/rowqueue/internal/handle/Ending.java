package io.rowqueue.internal.handle;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a statement ends the transaction that it runs in, by the first word of its text. The
 * statements that do are the servers' own lists of <a
 * href="https://dev.mysql.com/doc/refman/8.4/en/implicit-commit.html">implicit commits</a>.
 */
enum Ending {
  /** Reads and writes rows, or what only its connection sees. */
  NEVER,
  /** Stays within the transaction, but not within what it wrote itself. */
  SAVEPOINT,
  /** Stays within the transaction, but leaves a variable, lock or table behind in its session. */
  SESSION,
  /** A procedure. */
  CALL,
  /** Several statements, or one that is not known here. */
  PERHAPS,
  /** And it does so before it waits for anything, so that even one that fails may have. */
  ALWAYS,
  /** Leads the session, and what RowQueue sends over it, to another database. */
  REFUSED;

  private static final Set<String> NEVER_ENDS =
      Set.of(
          "SELECT",
          "INSERT",
          "UPDATE",
          "DELETE",
          "REPLACE",
          "WITH",
          "TABLE",
          "VALUES",
          "DO",
          "GET",
          "SHOW",
          "EXPLAIN",
          "DESCRIBE",
          "DESC");

  private static final Set<String> NAMES_A_SAVEPOINT = Set.of("SAVEPOINT", "RELEASE");

  private static final Set<String> ALWAYS_ENDS =
      Set.of(
          "COMMIT",
          "ROLLBACK",
          "BEGIN",
          "START",
          "ALTER",
          "CREATE",
          "DROP",
          "RENAME",
          "TRUNCATE",
          "GRANT",
          "REVOKE",
          "LOCK",
          "FLUSH");

  private static final int FLAGS = Pattern.CASE_INSENSITIVE | Pattern.DOTALL;

  private static final Pattern BACK_TO_A_SAVEPOINT =
      Pattern.compile("ROLLBACK\\s+(WORK\\s+)?TO[\\s`].*", FLAGS);

  /** A table that only this connection sees. */
  private static final Pattern TEMPORARY =
      Pattern.compile("(CREATE|DROP)\\s+(OR\\s+REPLACE\\s+)?TEMPORARY\\s.*", FLAGS);

  /** A variable of the connection's, but for the two whose setting commits. */
  private static final Pattern SETS_A_VARIABLE =
      Pattern.compile(
          "SET\\s+(?!.*(AUTOCOMMIT|PASSWORD))((SESSION|LOCAL)\\s+|@@(SESSION|LOCAL)\\.|@@?)?"
              + "\\w+\\s*:?=.*",
          FLAGS);

  /** MariaDB's block of several statements. */
  private static final Pattern BLOCK = Pattern.compile("BEGIN\\s+NOT\\s+ATOMIC\\s.*", FLAGS);

  /** A variable, or a lock that outlives the transaction. */
  private static final Pattern CHANGES_THE_SESSION =
      Pattern.compile(":=|\\bINTO\\s+@|\\bGET_LOCK\\s*\\(", FLAGS);

  /** A blank, a parenthesis or a comment, but none that the server executes. */
  private static final Pattern BEFORE_THE_FIRST_WORD =
      Pattern.compile("[\\s(]+|/\\*(?!M?!).*?\\*/|(#|--(?=\\s|$))[^\\n]*", Pattern.DOTALL);

  private static final Pattern LITERAL = Pattern.compile("'[^']*+'|\"[^\"]*+\"|`[^`]*+`");

  /** An escape, which the server's mode gives a meaning, or a comment with a quote in it. */
  private static final Pattern NOT_PLAIN = Pattern.compile("[\\\\#]|--|/\\*");

  private static final Pattern FIRST_WORD = Pattern.compile("[A-Za-z]+");

  /** That of {@code sql}. Names in it do not matter, nor what it is about. */
  static Ending of(String sql) {
    String text = sql.substring(start(sql, 0));
    String bare = withoutLiterals(text);
    if (isSeveral(bare) || BLOCK.matcher(text).matches()) {
      return PERHAPS;
    }
    Matcher word = FIRST_WORD.matcher(text);
    String first = word.lookingAt() ? word.group().toUpperCase(Locale.ROOT) : "";
    if (NAMES_A_SAVEPOINT.contains(first) || BACK_TO_A_SAVEPOINT.matcher(text).matches()) {
      return SAVEPOINT;
    }
    if (NEVER_ENDS.contains(first)) {
      return CHANGES_THE_SESSION.matcher(bare).find() ? SESSION : NEVER;
    }
    if (TEMPORARY.matcher(text).matches() || SETS_A_VARIABLE.matcher(text).matches()) {
      return SESSION;
    }
    if (first.equals("CALL") || text.startsWith("{")) {
      return CALL;
    }
    if (first.equals("USE")) {
      return REFUSED;
    }
    return ALWAYS_ENDS.contains(first) ? ALWAYS : PERHAPS;
  }

  /** Where something begins that the server executes, at {@code from} or behind it. */
  private static int start(String sql, int from) {
    int start = from;
    Matcher blank = BEFORE_THE_FIRST_WORD.matcher(sql);
    while (blank.region(start, sql.length()).lookingAt()) {
      start = blank.end();
    }
    return start;
  }

  private static boolean isSeveral(String bare) {
    int semicolon = bare.indexOf(';');
    return semicolon >= 0 && start(bare, semicolon + 1) < bare.length();
  }

  /** Where quotes might mean something else, nothing is taken away. */
  private static String withoutLiterals(String text) {
    return NOT_PLAIN.matcher(text).find() ? text : LITERAL.matcher(text).replaceAll("''");
  }

  /** That of both, one after the other. */
  Ending and(Ending next) {
    if ((this == SESSION && next == CALL) || (this == CALL && next == SESSION)) {
      return PERHAPS;
    }
    return compareTo(next) >= 0 ? this : next;
  }
}
