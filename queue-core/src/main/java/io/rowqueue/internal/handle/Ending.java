package io.rowqueue.internal.handle;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a statement ends its transaction, judged by the first word of its text. The statements
 * that do are taken from the servers' lists of <a
 * href="https://dev.mysql.com/doc/refman/8.4/en/implicit-commit.html">implicit commits</a>.
 */
enum Ending {
  /** Reads and writes rows, or objects that only its connection sees. */
  NEVER,
  /** Stays within the transaction, but may undo what the transaction wrote. */
  SAVEPOINT,
  /** Stays within the transaction, but changes the session: a variable, lock or table remains. */
  SESSION,
  /** A stored procedure. */
  CALL,
  /** Several statements, or an unknown one. */
  PERHAPS,
  /** Ends the transaction before it waits for anything, so it may have done so even if it fails. */
  ALWAYS,
  /** Switches the session, and so RowQueue's statements, to another database. */
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

  /** A session variable, except the two whose setting commits. */
  private static final Pattern SETS_A_VARIABLE =
      Pattern.compile(
          "SET\\s+(?!.*(AUTOCOMMIT|PASSWORD))((SESSION|LOCAL)\\s+|@@(SESSION|LOCAL)\\.|@@?)?"
              + "\\w+\\s*:?=.*",
          FLAGS);

  /** MariaDB's compound statement. */
  private static final Pattern BLOCK = Pattern.compile("BEGIN\\s+NOT\\s+ATOMIC\\s.*", FLAGS);

  /** A variable, or a lock that outlives the transaction. */
  private static final Pattern CHANGES_THE_SESSION =
      Pattern.compile(":=|\\bINTO\\s+@|\\bGET_LOCK\\s*\\(", FLAGS);

  /** White space, a parenthesis or a comment, except comments that the server executes. */
  private static final Pattern BEFORE_THE_FIRST_WORD =
      Pattern.compile("[\\s(]+|/\\*(?!M?!).*?\\*/|(#|--(?=\\s|$))[^\\n]*", Pattern.DOTALL);

  private static final Pattern LITERAL = Pattern.compile("'[^']*+'|\"[^\"]*+\"|`[^`]*+`");

  /** An escape, whose meaning depends on the SQL mode, or a comment, which may contain a quote. */
  private static final Pattern NOT_PLAIN = Pattern.compile("[\\\\#]|--|/\\*");

  private static final Pattern FIRST_WORD = Pattern.compile("[A-Za-z]+");

  /** Classifies {@code sql} by its kind, whatever names it contains. */
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

  /** The start of the next text that the server executes, at or after {@code from}. */
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

  /** The text is returned unchanged if quotes might have another meaning. */
  private static String withoutLiterals(String text) {
    return NOT_PLAIN.matcher(text).find() ? text : LITERAL.matcher(text).replaceAll("''");
  }

  /** The ending of both statements, run one after the other. */
  Ending and(Ending next) {
    if ((this == SESSION && next == CALL) || (this == CALL && next == SESSION)) {
      return PERHAPS;
    }
    return compareTo(next) >= 0 ? this : next;
  }
}
