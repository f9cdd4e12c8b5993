package io.rowqueue.worker.internal.cli;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.SchemaException;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.spi.KeysetException;
import io.rowqueue.worker.internal.grant.MissingPrivilegeException;
import io.rowqueue.worker.internal.plugin.PluginException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Starting again will not help until somebody has migrated, or granted. */
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
    codes.put("0", "done; for run: stopped by a signal and drained");
    codes.put(
        "1",
        "failed; or something was refused, or one of several was; or the output cannot be"
            + " written");
    codes.put("2", "wrong usage, configuration or plug-in; starting again will not help");
    codes.put(
        "3", "the database cannot be reached, or refuses the login, or a keyset cannot be read");
    codes.put(
        "4",
        "the schema is not migrated or does not fit this version, a privilege is missing, or"
            + " what should be a keyset is none");
    codes.put("5", "doctor: it has warnings");
    codes.put("6", "doctor: it has found problems");
    codes.put("130, 143", "SIGINT or SIGTERM stopped it; for run: a second one, at once");
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
    SQLException error = sqlError(failure);
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

  static @Nullable SQLException sqlError(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof SQLException error) {
        return error;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
