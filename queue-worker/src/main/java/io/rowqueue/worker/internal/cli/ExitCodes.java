package io.rowqueue.worker.internal.cli;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.SchemaException;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.spi.KeysetException;
import io.rowqueue.worker.internal.grant.AccountCheck.MissingPrivilegeException;
import io.rowqueue.worker.internal.plugin.PluginException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the process's end says. A supervisor may start again after 1 and 3; after 2 and 4 a person
 * has to change something first.
 */
final class ExitCodes {

  static final int OK = 0;
  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;
  static final int DATABASE_UNAVAILABLE = 3;
  static final int WRONG_SCHEMA = 4;

  /** The doctor's, whose findings are no failures of its own. */
  static final int WARNINGS = 5;

  static final int PROBLEMS = 6;

  /** A process that a signal ended; its number is added, as shells do. */
  static final int SIGNALLED = 128;

  private static final Set<Integer> REFUSED_OR_AWAY =
      Set.of(
          1040, // too many connections
          1044, // no access to the schema
          1045, // wrong user or password
          1049, // no such schema
          1129, // host is blocked
          1130, // host is not allowed to connect
          1203, // too many connections of this user
          1226, // resource limit of this user
          1698); // wrong user or password, MariaDB's plug-ins

  /** A restart does not help until an operator has migrated, or granted. */
  private static final Set<Integer> NO_SUCH_TABLE_OR_NOT_FOR_YOU =
      Set.of(
          1142, // the table
          1143, // a column
          1146, // no such table
          1227, // the whole server
          1370); // a routine

  private ExitCodes() {}

  /** For the end of every command's help. */
  static Map<String, String> help() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "success; for run: stopped by a signal and drained");
    codes.put("1", "failure; or an item was refused; or the output cannot be written");
    codes.put("2", "invalid usage, configuration or plug-in; a restart does not help");
    codes.put("3", "the database is unreachable or refuses the login, or a keyset is unreachable");
    codes.put(
        "4",
        "the schema is not migrated or does not fit this version, a privilege is missing, or a"
            + " keyset is invalid");
    codes.put("5", "doctor: warnings");
    codes.put("6", "doctor: problems");
    codes.put("130, 143", "stopped by SIGINT or SIGTERM; for run: by a second signal, at once");
    return codes;
  }

  static int of(Throwable failure) {
    if (failure instanceof CommandFailure known) {
      return known.exitCode();
    }
    if (failure instanceof PluginException
        || failure instanceof HandlerConfigurationException
        || failure instanceof InvalidScheduleException) {
      return WRONG_USAGE;
    }
    if (failure instanceof SchemaException || failure instanceof MissingPrivilegeException) {
      return WRONG_SCHEMA;
    }
    if (failure instanceof KeysetException keyset) {
      return keyset.isAway() ? DATABASE_UNAVAILABLE : WRONG_SCHEMA;
    }
    SQLException error = ServerAnswer.in(failure);
    if (error != null) {
      return ofSql(error);
    }
    return failure instanceof DatabaseUnavailableException ? DATABASE_UNAVAILABLE : FAILED;
  }

  private static int ofSql(SQLException error) {
    if (NO_SUCH_TABLE_OR_NOT_FOR_YOU.contains(error.getErrorCode())) {
      return WRONG_SCHEMA;
    }
    String state = error.getSQLState();
    boolean away = state != null && (state.startsWith("08") || state.startsWith("28"));
    return away || REFUSED_OR_AWAY.contains(error.getErrorCode()) ? DATABASE_UNAVAILABLE : FAILED;
  }
}
