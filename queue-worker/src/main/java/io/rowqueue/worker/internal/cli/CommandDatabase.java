package io.rowqueue.worker.internal.cli;

import io.rowqueue.Results;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.ConnectFailure;
import io.rowqueue.worker.internal.DriverParameters;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Properties;
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

  interface PendingResult {
    byte @Nullable [] over(Results results) throws InterruptedException;
  }

  /** The time that decides, which is not this host's. */
  static Instant now(Transactions queue) {
    return queue.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  String location() {
    return config.location();
  }

  /**
   * Opens a connection each time: a command needs one or two, and a pool would only start threads.
   * User, password and defaults go to the driver as properties, so that no URL with a password is
   * ever built. Thread-safe.
   */
  static final class CommandLineConnections {

    private final DatabaseConfig database;
    private final Map<String, String> driver;
    private final DataSource dataSource;

    CommandLineConnections(DatabaseConfig database, Duration longestAnswer) {
      this.database = database;
      this.driver =
          Map.of(
              "connectionTimeZone",
              "UTC",
              "socketTimeout",
              Long.toString(longestAnswer.toMillis()));
      WritableHosts hosts = new WritableHosts(database.url());
      this.dataSource =
          new FreshConnections(() -> hosts.connect(DriverParameters.of(database, driver)));
    }

    DataSource dataSource() {
      return dataSource;
    }

    /** The properties that the driver gets in addition to the URL, without the password. */
    Properties settings() {
      Properties settings = DriverParameters.of(database, driver);
      settings.remove("password");
      return settings;
    }

    /** Where it leads, without the account. */
    @Override
    public String toString() {
      return "CommandLineConnections[" + database.location() + "]";
    }
  }
}
