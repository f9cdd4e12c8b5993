package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.ConnectFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The database of a one-shot command, reached once before anything else is tried on it. */
final class CommandDatabase {

  private final DatabaseConfig config;
  private final DataSource dataSource;
  private final Transactions transactions;

  private CommandDatabase(DatabaseConfig config, DataSource dataSource, Transactions transactions) {
    this.config = config;
    this.dataSource = dataSource;
    this.transactions = transactions;
  }

  /**
   * Connects once, so that a wrong password or address fails at once and with its own words.
   *
   * @param longestAnswer how long a statement may take; zero for as long as it wants
   */
  static CommandDatabase reach(DatabaseConfig config, Duration longestAnswer) {
    DataSource dataSource = new CommandLineConnections(config, longestAnswer).dataSource();
    try (Connection connection = dataSource.getConnection()) {
      Transactions transactions =
          new Transactions(dataSource, ServerDialect.ask(connection), TransactionProbe.NONE)
              .isolated();
      return new CommandDatabase(config, dataSource, transactions);
    } catch (SQLException e) {
      throw new CommandFailure(
          ExitCodes.DATABASE_UNAVAILABLE, ConnectFailure.describe(e, config), e);
    }
  }

  /**
   * Checks that the schema is there and lets this version work on it.
   *
   * @throws io.rowqueue.SchemaException if not
   */
  CommandDatabase withFittingSchema() {
    QueueSchema.of(transactions).check();
    return this;
  }

  DataSource dataSource() {
    return dataSource;
  }

  Transactions transactions() {
    return transactions;
  }

  /** Host and schema, for people. */
  String location() {
    return config.location();
  }
}
