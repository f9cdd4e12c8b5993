package io.rowqueue.internal.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a migration may do while workers of the version before it run. A rule that a script has to
 * break one day is changed here, where it is seen, along with {@code docs/operations/upgrading.md}.
 */
final class MigrationRules {

  /** Longer, a waiting ALTER would hold up every claim behind it for longer. */
  private static final int LONGEST_LOCK_WAIT_SECONDS = 10;

  private static final Pattern LOCK_WAIT =
      Pattern.compile("set session lock_wait_timeout = (\\d+)");
  private static final Pattern SCHEMA_ROW =
      Pattern.compile(
          "insert into queue_schema \\(version, oldest_known(?:, queue_name)?\\)"
              + " values \\((\\d+), (\\d+)(?:, uuid\\(\\))?\\)");
  private static final Pattern CREATE_TABLE = Pattern.compile("create table (\\w+)");
  private static final Pattern ALTER_TABLE = Pattern.compile("alter table (\\w+) (.*)");
  private static final Pattern CREATE_INDEX = Pattern.compile("create index \\w+ on (\\w+).*");

  /** Adds and nothing else. */
  private static final Pattern ADDS = Pattern.compile("add (column|index|key) .*");

  private static final Pattern ONLINE =
      Pattern.compile(".*algorithm ?= ?(instant|inplace,? lock ?= ?none).*");

  private final int version;
  private final Set<String> newTables = new HashSet<>();
  private final Set<String> algorithms = new TreeSet<>();
  private final List<String> broken = new ArrayList<>();

  private MigrationRules(int version) {
    this.version = version;
  }

  /** Which rules the script of {@code version} breaks; empty if none. */
  static List<String> broken(int version, String script) {
    MigrationRules rules = new MigrationRules(version);
    List<String> statements = statements(script);
    rules.judge(statements);
    return rules.broken;
  }

  /**
   * What the script states about tables that exist, as the page has it; a dash if it names none.
   */
  static String algorithms(int version, String script) {
    MigrationRules rules = new MigrationRules(version);
    rules.judge(statements(script));
    return rules.algorithms.isEmpty() ? "–" : String.join(", ", rules.algorithms);
  }

  private static List<String> statements(String script) {
    String bare = script.replaceAll("(?s)/\\*.*?\\*/", " ").replaceAll("(?m)--.*$", " ");
    return Stream.of(bare.split(";", -1))
        .map(each -> each.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT))
        // What lets a script run again that was cut off.
        .map(each -> each.replace(" if not exists", "").replace("insert ignore", "insert"))
        .filter(each -> !each.isEmpty())
        .toList();
  }

  private void judge(List<String> statements) {
    Matcher wait = LOCK_WAIT.matcher(statements.get(0));
    if (!wait.matches() || Integer.parseInt(wait.group(1)) > LONGEST_LOCK_WAIT_SECONDS) {
      broken.add("it does not begin with a short lock_wait_timeout: " + statements.get(0));
    }
    if (statements.stream().noneMatch(each -> SCHEMA_ROW.matcher(each).matches())) {
      broken.add("it writes no row of queue_schema");
    }
    statements.stream().skip(1).forEach(this::judge);
  }

  private void judge(String statement) {
    Matcher schema = SCHEMA_ROW.matcher(statement);
    Matcher table = CREATE_TABLE.matcher(statement);
    Matcher alter = ALTER_TABLE.matcher(statement);
    Matcher index = CREATE_INDEX.matcher(statement);
    if (schema.matches()) {
      versions(Integer.parseInt(schema.group(1)), Integer.parseInt(schema.group(2)));
    } else if (table.lookingAt()) {
      newTables.add(table.group(1));
    } else if (index.matches()) {
      online(index.group(1), statement);
    } else if (alter.matches() && ADDS.matcher(alter.group(2)).matches()) {
      added(alter.group(1), statement);
    } else if (!fillsANewTable(statement)) {
      broken.add("it does more than add: " + statement);
    }
  }

  private void versions(int written, int oldestKnown) {
    if (written != version) {
      broken.add("it writes version %d, not %d".formatted(written, version));
    }
    if (version > 1 && oldestKnown >= version) {
      broken.add(
          "version %d may not run beside it: oldest_known is %d"
              .formatted(version - 1, oldestKnown));
    }
  }

  private void added(String table, String statement) {
    if (statement.contains("not null") && !statement.contains("default")) {
      broken.add("workers of before do not fill it: " + statement);
    } else {
      online(table, statement);
    }
  }

  private void online(String table, String statement) {
    if (newTables.contains(table)) {
      return;
    }
    Matcher stated = ONLINE.matcher(statement);
    if (stated.matches()) {
      boolean instant = stated.group(1).equals("instant");
      algorithms.add(instant ? "`INSTANT`" : "`INPLACE` with `LOCK=NONE`");
    } else {
      broken.add(
          "it states neither ALGORITHM=INSTANT nor ALGORITHM=INPLACE with LOCK=NONE: " + statement);
    }
  }

  /** A row or two of its own, not a copy of what may be millions. */
  private boolean fillsANewTable(String statement) {
    return statement.startsWith("insert into ")
        && !statement.contains("select")
        && newTables.contains(statement.split("[ (]", 4)[2]);
  }
}
