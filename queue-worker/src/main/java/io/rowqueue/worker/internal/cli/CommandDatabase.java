package io.rowqueue.worker.internal.cli;

import io.rowqueue.Results;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.ConnectFailure;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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

  /** The result that {@code wait} ends with: UTF-8 as it is stored, and {@code null} for null. */
  String awaited(PendingResult wait) {
    try (Results results = Results.over(dataSource)) {
      byte[] result = wait.over(results);
      return result == null
          ? "null"
          : TextTable.printable(new String(result, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("the wait was broken off; the message goes on", e);
    }
  }

  /** A wait for the bytes of a result. */
  interface PendingResult {
    byte @Nullable [] over(Results results) throws InterruptedException;
  }

  /** The time that decides, which is not this host's. */
  static Instant now(Transactions queue) {
    return queue.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  /** Host and schema, for people. */
  String location() {
    return config.location();
  }
}
