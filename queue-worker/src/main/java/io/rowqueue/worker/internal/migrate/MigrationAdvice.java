package io.rowqueue.worker.internal.migrate;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Gives the remedy for a failed migration. */
public final class MigrationAdvice {

  private static final String REPAIR =
      "A script that failed half-way leaves its changes, since these servers cannot roll back DDL:"
          + " fix the cause and migrate again. After version 1, undo the changes first and delete"
          + " the row with success = 0 from queue_flyway_history.";

  private MigrationAdvice() {}

  public static String explain(Exception failure) {
    SQLException error = sqlError(failure);
    if (error == null) {
      String message = String.valueOf(failure.getMessage());
      return "the schema was not migrated: "
          + message.strip()
          + (message.contains("failed migration") ? " " + REPAIR : "");
    }
    return "the schema was not migrated: %s (error %d, state %s). %s"
        .formatted(error.getMessage(), error.getErrorCode(), error.getSQLState(), advice(error))
        .strip();
  }

  private static @Nullable SQLException sqlError(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException error) {
        return error;
      }
    }
    return null;
  }

  private static String advice(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08")) {
      return "Check that the server runs and that the URL's host and port are right. " + REPAIR;
    }
    return switch (error.getErrorCode()) {
      case 1045 -> "Check the user and the password.";
      case 1049 -> "Create the schema first: RowQueue creates its tables, not the schema.";
      case 1044, 1142, 1227, 1370 ->
          "Migrate with an account that has the privileges: GRANT SELECT, INSERT, UPDATE, DELETE,"
              + " CREATE, ALTER, INDEX, DROP ON <schema>.* TO it, which `queue-worker grants"
              + " migrator` prints. "
              + REPAIR;
      case 1205 ->
          "Another transaction locked a table for longer than the migration waits; end it (SHOW"
              + " PROCESSLIST). "
              + REPAIR;
      case 1290, 1792, 1836 -> "The server is read-only: migrate on the primary.";
      case 1064 -> "RowQueue needs MySQL 8.0.19 or later, or MariaDB 10.6 or later. " + REPAIR;
      default -> REPAIR;
    };
  }
}
