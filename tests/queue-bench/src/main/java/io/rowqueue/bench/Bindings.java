package io.rowqueue.bench;

import com.google.inject.Guice;
import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Workers of handlers that are lambdas. */
public final class Bindings {

  private Bindings() {}

  /** A payload of one number. */
  public record Numbered(int number) {}

  /** Binds {@code handler} to {@code topic}, with the defaults. */
  public static Module bind(String topic, MessageHandler<Numbered> handler) {
    return bind(topic, handler, HandlerSettings.defaults());
  }

  /** The same with {@code settings}. */
  public static Module bind(
      String topic, MessageHandler<Numbered> handler, HandlerSettings settings) {
    return LambdaHandlers.bind(topic, Numbered.class, handler, settings);
  }

  /** A started worker with the defaults, on the queue at {@code url}. */
  public static Worker start(String url, List<Module> bindings) {
    return start(WorkerConfig.defaults(new DatabaseConfig(url, "", "")), bindings);
  }

  /** A started worker that is configured so. */
  public static Worker start(WorkerConfig config, List<Module> bindings) {
    List<Module> modules = new ArrayList<>(bindings);
    modules.add(new WorkerModule(config));
    Worker worker = Guice.createInjector(modules).getInstance(Worker.class);
    worker.start();
    return worker;
  }

  /** Connections for plain JDBC, set up as well as a rival would: once, and never toggled. */
  static final class Bare {

    private static final String PREPARED =
        "&useServerPrepStmts=true&cachePrepStmts=true&prepStmtCacheSqlLimit=8192";

    private Bare() {}

    /** Auto-commit is off, the isolation READ COMMITTED; statements are prepared once. */
    public static Connection connect(QueueDatabase database) throws SQLException {
      Connection connection = DriverManager.getConnection(database.url() + PREPARED);
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      return connection;
    }

    /** A pool of so many connections, with auto-commit and nothing else set. */
    static HikariDataSource plainPool(String url, int connections) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(url);
      config.setMaximumPoolSize(connections);
      return new HikariDataSource(config);
    }

    /** The same from a pool of {@code threads} connections, with or without auto-commit. */
    public static HikariDataSource pool(QueueDatabase database, int threads, boolean autoCommit) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url() + PREPARED);
      config.setAutoCommit(autoCommit);
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
      config.setMaximumPoolSize(threads);
      config.setMinimumIdle(threads);
      return new HikariDataSource(config);
    }
  }
}
