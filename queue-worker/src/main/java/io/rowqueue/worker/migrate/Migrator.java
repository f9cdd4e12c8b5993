package io.rowqueue.worker.migrate;

import io.rowqueue.QueueException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.output.MigrateResult;
import org.jspecify.annotations.Nullable;

/**
 * Brings a schema to the version of this RowQueue, with Flyway. The schema may hold the team's own
 * tables; only tables named {@code queue_*} are touched. Two that migrate at once wait for each
 * other. Thread-safe.
 */
public final class Migrator {

  private Migrator() {}

  /**
   * Runs the migrations that the schema lacks.
   *
   * @param dataSource connections of an account that may create and alter tables
   * @throws MigrationException if a migration fails; on these servers DDL commits, so a half-done
   *     one stays and the message says which
   */
  public static Migrated migrate(DataSource dataSource) {
    try {
      MigrateResult result =
          Flyway.configure(Migrator.class.getClassLoader())
              .dataSource(dataSource)
              .locations("classpath:io/rowqueue/migration")
              .table("queue_flyway_history")
              .baselineOnMigrate(true)
              .baselineVersion("0")
              .load()
              .migrate();
      int from = version(result.initialSchemaVersion);
      // Flyway names no target when there was nothing to do.
      return new Migrated(from, Math.max(from, version(result.targetSchemaVersion)));
    } catch (FlywayException e) {
      throw new MigrationException(explain(e), e);
    }
  }

  private static int version(@Nullable String version) {
    return version == null || version.isEmpty() ? 0 : Integer.parseInt(version);
  }

  private static String explain(FlywayException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException error) {
        return "the schema was not migrated: " + error.getMessage() + advice(error);
      }
    }
    return "the schema was not migrated: " + failure.getMessage();
  }

  private static String advice(SQLException error) {
    return switch (error.getErrorCode()) {
      case 1044, 1142, 1227 ->
          "; migrate with an account that has CREATE, ALTER, INDEX, DROP, INSERT, UPDATE, DELETE,"
              + " SELECT and REFERENCES on the schema";
      case 1205 ->
          "; another transaction holds a table for longer than the migration waits: end it and run"
              + " this again";
      default -> "";
    };
  }

  /**
   * What a migration did.
   *
   * @param from the schema's version before; 0 for none
   * @param to its version now
   */
  public record Migrated(int from, int to) {

    /** Whether there was anything to do. */
    public boolean changed() {
      return to > from;
    }
  }

  /** A migration failed. */
  public static final class MigrationException extends QueueException {

    private static final long serialVersionUID = 1L;

    MigrationException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
