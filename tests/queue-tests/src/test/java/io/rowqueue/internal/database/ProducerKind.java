package io.rowqueue.internal.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.BackPressure;
import io.rowqueue.Jooq;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionStatus;

/** What a producer may be given, and what it runs on. */
@SuppressWarnings("ImmutableEnumChecker") // It does not see that callers hold no state.
enum ProducerKind {
  CONNECTION((database, producing) -> inConnection(plain(database), producing)),
  CONNECTION_THAT_COMMITS_BY_ITSELF(
      "is in auto-commit mode",
      (database, producing) -> {
        try (Connection connection = database.connect()) {
          return producing.on(Producing.PRODUCER, connection);
        }
      }),
  DATA_SOURCE((database, producing) -> producing.on(Producing.PRODUCER, database.dataSource())),
  POOL((database, producing) -> inPool(plain(database), true, producing)),
  POOL_WITHOUT_AUTO_COMMIT((database, producing) -> inPool(plain(database), false, producing)),
  JOOQ_TRANSACTION(
      (database, producing) -> {
        try (HikariDataSource pool = pool(plain(database), true)) {
          return DSL.using(pool, SQLDialect.MYSQL)
              .transactionResult(
                  transaction -> producing.on(Producing.PRODUCER, transaction.dsl()));
        }
      }),
  JOOQ_TRANSACTION_WITHOUT_AUTO_COMMIT(
      (database, producing) -> {
        try (HikariDataSource pool = pool(plain(database), false)) {
          return DSL.using(pool, SQLDialect.MYSQL)
              .transactionResult(
                  transaction -> producing.on(Producing.PRODUCER, transaction.dsl()));
        }
      }),
  JOOQ_ON_A_POOL(
      "is in auto-commit mode",
      (database, producing) -> {
        try (HikariDataSource pool = pool(plain(database), true)) {
          return producing.on(Producing.PRODUCER, DSL.using(pool, SQLDialect.MYSQL));
        }
      }),
  JOOQ_ON_A_POOL_WITHOUT_AUTO_COMMIT(
      "is not in a transaction",
      (database, producing) -> {
        try (HikariDataSource pool = pool(plain(database), false)) {
          return producing.on(Producing.PRODUCER, DSL.using(pool, SQLDialect.MYSQL));
        }
      }),
  /** As Spring Boot configures jOOQ. */
  JOOQ_ON_A_TRANSACTION_AWARE_DATA_SOURCE(
      (database, producing) -> {
        try (Connection callers = database.connect()) {
          callers.setAutoCommit(false);
          List<MessageId> ids =
              producing.on(Producing.PRODUCER, DSL.using(aware(callers), SQLDialect.MYSQL));
          callers.commit();
          return ids;
        }
      }),
  TRANSACTION_AWARE_DATA_SOURCE(
      "is already in a transaction",
      (database, producing) -> besideWork(database, "SET autocommit = 0", producing, "COMMIT")),
  TRANSACTION_THAT_BEGAN_BY_SQL(
      "is already in a transaction",
      (database, producing) -> besideWork(database, "START TRANSACTION", producing, "COMMIT")),
  DISTRIBUTED_TRANSACTION(
      "is already in a transaction",
      (database, producing) ->
          besideWork(database, "XA START 'x'", producing, "XA END 'x'", "XA COMMIT 'x' ONE PHASE")),
  SPRING_TRANSACTION(
      "is already in a transaction",
      (database, producing) -> inSpringTransaction(database, true, producing)),
  /** The server does not know of the transaction. */
  SPRING_TRANSACTION_BEFORE_ITS_FIRST_STATEMENT(
      "is already in a transaction",
      (database, producing) -> inSpringTransaction(database, false, producing)),
  SPRING_WITHOUT_A_TRANSACTION(
      (database, producing) ->
          producing.on(
              Producing.PRODUCER, new TransactionAwareDataSourceProxy(database.dataSource()))),
  SPRING_WITHOUT_A_TRANSACTION_OR_AUTO_COMMIT(
      (database, producing) -> {
        try (HikariDataSource pool = pool(plain(database), false)) {
          return producing.on(Producing.PRODUCER, new TransactionAwareDataSourceProxy(pool));
        }
      }),
  LATIN_1_CONNECTION(
      (database, producing) ->
          inConnection(with(database, "&characterEncoding=ISO-8859-1"), producing)),
  LATIN_1_SERVER_PREPARED(
      (database, producing) -> {
        String properties = "&characterEncoding=ISO-8859-1&useServerPrepStmts=true";
        return inPool(with(database, properties), true, producing);
      }),
  /** The driver believes in the step of before. */
  ANOTHER_STEP((database, producing) -> inConnection(stepping(plain(database), 5), producing)),
  /** As HikariCP's documentation recommends: the step is another connection's. */
  CACHED_SERVER_CONFIGURATION(
      (database, producing) -> {
        FreshConnections.Opening caching = with(database, "&cacheServerConfiguration=true");
        caching.open().close();
        return inConnection(stepping(caching, 3), producing);
      }),
  /** As on Galera, whose sessions change between any two statements while nodes join and leave. */
  STEP_THAT_CHANGES((database, producing) -> inConnection(() -> changingStep(database), producing)),
  MARIADB_DRIVER_CONNECTION(
      (database, producing) -> inConnection(stepping(() -> mariaDb(database, ""), 2), producing)),
  MARIADB_DRIVER_THAT_RETURNS_ALL_IDS(
      (database, producing) -> {
        String property = "&returnMultiValuesGeneratedIds=true";
        return inConnection(stepping(() -> mariaDb(database, property), 3), producing);
      }),
  MARIADB_DRIVER_POOL(
      (database, producing) -> inPool(() -> mariaDb(database, ""), true, producing)),
  KILLED_BEHIND_ITS_COMMIT(
      (database, producing) -> {
        FreshConnections.Opening breaking =
            () -> OddConnections.brokenByItsCommit(database.connect());
        try (HikariDataSource pool = pool(breaking, true)) {
          return producing.on(Producing.PRODUCER.notifying(WorkerNotifier.SILENT), pool);
        }
      });

  private final String refusal;
  private final Caller caller;

  ProducerKind(Caller caller) {
    this("", caller);
  }

  ProducerKind(String refusal, Caller caller) {
    this.refusal = refusal;
    this.caller = caller;
  }

  /** Has {@code producing} done on connections of its own kind. */
  private interface Caller {
    List<MessageId> enqueue(QueueDatabase database, Producing producing) throws SQLException;
  }

  /** What a producer does. */
  interface Producing {
    MessageProducer PRODUCER = MessageProducer.create();

    List<MessageId> on(MessageProducer producer, Connection connection);

    List<MessageId> on(MessageProducer producer, DataSource dataSource);

    default List<MessageId> on(MessageProducer producer, DSLContext transaction) {
      return Jooq.inTransaction(transaction, connection -> on(producer, connection));
    }
  }

  /** Enqueues {@code messages}. */
  record Enqueueing(List<NewMessage> messages) implements Producing {

    @Override
    public List<MessageId> on(MessageProducer producer, Connection connection) {
      return producer.enqueueAll(connection, messages);
    }

    @Override
    public List<MessageId> on(MessageProducer producer, DataSource dataSource) {
      return producer.enqueueAll(dataSource, messages);
    }
  }

  /** Publishes {@code message}; a producer of a data source first reads who gets copies. */
  record Publishing(NewMessage message) implements Producing {

    @Override
    public List<MessageId> on(MessageProducer producer, Connection connection) {
      return List.copyOf(producer.publish(connection, message).copies().values());
    }

    @Override
    public List<MessageId> on(MessageProducer producer, DataSource dataSource) {
      MessageProducer reading = producer.rejectingWhenFull(BackPressure.over(dataSource));
      return List.copyOf(reading.publish(dataSource, message).copies().values());
    }
  }

  /** Produces, and commits where that is the caller's. */
  List<MessageId> enqueue(QueueDatabase database, Producing producing) throws SQLException {
    return caller.enqueue(database, producing);
  }

  boolean exists(QueueDatabase database) {
    return this != STEP_THAT_CHANGES || database.isMariaDb();
  }

  /** Whether the caller has work of its own in {@code callers_work}: two rows. */
  boolean hasCallersWork() {
    return refusal.equals("is already in a transaction");
  }

  /** What the refusal says; empty where it works. */
  String refusal() {
    return refusal;
  }

  private static FreshConnections.Opening plain(QueueDatabase database) {
    return database::connect;
  }

  private static FreshConnections.Opening with(QueueDatabase database, String properties) {
    return () -> DriverManager.getConnection(database.url() + properties);
  }

  private static Connection mariaDb(QueueDatabase database, String properties) throws SQLException {
    return new org.mariadb.jdbc.Driver()
        .connect(
            database.url().replace("jdbc:mysql:", "jdbc:mariadb:")
                + "&allowPublicKeyRetrieval=true"
                + properties,
            new Properties());
  }

  private static FreshConnections.Opening stepping(FreshConnections.Opening opening, int step) {
    return () -> {
      Connection connection = opening.open();
      setStep(connection, step);
      return connection;
    };
  }

  private static void setStep(Connection connection, int step) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION auto_increment_increment = " + step);
    }
  }

  private static Connection changingStep(QueueDatabase database) {
    Connection connection = database.connect();
    int[] steps = {0};
    return OddConnections.of(
        (method, arguments) -> {
          if (method.getName().endsWith("Statement")) {
            setStep(connection, 1 + steps[0]++ % 7);
          }
          return method.invoke(connection, arguments);
        });
  }

  private static List<MessageId> inConnection(FreshConnections.Opening opening, Producing producing)
      throws SQLException {
    try (Connection connection = opening.open()) {
      connection.setAutoCommit(false);
      List<MessageId> ids = producing.on(Producing.PRODUCER, connection);
      connection.commit();
      return ids;
    }
  }

  private static List<MessageId> inPool(
      FreshConnections.Opening opening, boolean autoCommit, Producing producing) {
    try (HikariDataSource pool = pool(opening, autoCommit)) {
      return producing.on(Producing.PRODUCER, pool);
    }
  }

  private static HikariDataSource pool(FreshConnections.Opening opening, boolean autoCommit) {
    HikariConfig config = new HikariConfig();
    config.setMaximumPoolSize(1);
    config.setAutoCommit(autoCommit);
    config.setDataSource(new FreshConnections(opening));
    return new HikariDataSource(config);
  }

  /** Hands out the caller's own connection, as Spring's TransactionAwareDataSourceProxy does. */
  private static DataSource aware(Connection callers) {
    return new FreshConnections(
        () ->
            OddConnections.of(
                (method, arguments) ->
                    method.getName().equals("close") ? null : method.invoke(callers, arguments)));
  }

  private static List<MessageId> inSpringTransaction(
      QueueDatabase database, boolean begun, Producing producing) {
    prepareCallersWork(database);
    DataSource dataSource = database.dataSource();
    JdbcTemplate caller = new JdbcTemplate(dataSource);
    DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
    TransactionStatus transaction = manager.getTransaction(null);
    try {
      if (begun) {
        caller.update("INSERT INTO callers_work VALUES (1)");
      }
      return producing.on(Producing.PRODUCER, new TransactionAwareDataSourceProxy(dataSource));
    } finally {
      if (!begun) {
        caller.update("INSERT INTO callers_work VALUES (1)");
      }
      caller.update("INSERT INTO callers_work VALUES (2)");
      manager.commit(transaction);
    }
  }

  private static void prepareCallersWork(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS callers_work (id INT)", "DELETE FROM callers_work");
  }

  /** The caller has written something, and goes on after the refusal. */
  private static List<MessageId> besideWork(
      QueueDatabase database, String begin, Producing producing, String... end)
      throws SQLException {
    prepareCallersWork(database);
    try (Connection callers = database.connect();
        Statement statement = callers.createStatement()) {
      statement.execute(begin);
      statement.execute("INSERT INTO callers_work VALUES (1)");
      try {
        return producing.on(Producing.PRODUCER, aware(callers));
      } finally {
        statement.execute("INSERT INTO callers_work VALUES (2)");
        for (String last : end) {
          statement.execute(last);
        }
      }
    }
  }
}
