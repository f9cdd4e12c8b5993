package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.archive.Archive;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.MessageId;
import io.rowqueue.result.Results;
import io.rowqueue.result.Waiters;
import io.rowqueue.seal.KeysInUse;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.grant.AccountCheck;
import io.rowqueue.worker.grant.Grant;
import io.rowqueue.worker.grant.MissingPrivilegeException;
import io.rowqueue.worker.grant.Role;
import io.rowqueue.worker.migrate.Migrator;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The shipped scripts are enough, and nothing in them is too much: accounts with exactly these
 * grants do all that their role does, and with any one of them taken away something fails.
 */
@QueueTest
class GrantsIT {

  private static final String PARTITIONS =
      "SELECT partition_name FROM information_schema.partitions WHERE table_schema = DATABASE()"
          + " AND table_name = 'queue_archive' AND partition_name IS NOT NULL";

  private static final String TODAY =
      "SELECT CONCAT('PARTITION day_', DATE_FORMAT(UTC_DATE(), '%Y_%m_%d'),"
          + " ' VALUES LESS THAN (''', UTC_DATE() + INTERVAL 1 DAY, ''')')";

  private final QueueDatabase database;

  GrantsIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void worker_withExactlyItsScript_runsEveryTransition_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      account.assertExact(Role.WORKER, new WorkerPlays(database, account.dataSource()).all());
    }
  }

  @Test
  void worker_byLastInsertId_needsTheUpdateOfTheIdThatTheScriptNames() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      Plays plays = new Plays(database);
      new WorkerPlays(database, account.dataSource()).addClaim(plays, Kind.LAST_INSERT_ID);
      assertThat(plays.failing()).singleElement().asString().contains("'id'");
      database.execute(
          "GRANT UPDATE (id) ON %s.queue_message TO '%s'@'%%'"
              .formatted(database.name(), account.user()));
      assertThat(plays.failing()).isEmpty();
    }
  }

  @Test
  void operator_withExactlyItsScript_runsEveryCommand_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.OPERATOR)) {
      account.assertExact(Role.OPERATOR, new OperatorPlays(database, account.dataSource()).all());
    }
  }

  @Test
  void schedule_withExactlyItsScript_setsAndRemovesSchedules_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.SCHEDULE)) {
      Plays plays = new Plays(database);
      new SchedulePlays(database, account.dataSource()).addTo(plays);
      account.assertExact(Role.SCHEDULE, plays);
    }
  }

  @Test
  void subscribe_withExactlyItsScript_changesSubscriptions_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.SUBSCRIBE)) {
      Plays plays = new Plays(database);
      new SubscriptionPlays(database, account.dataSource()).addTo(plays);
      account.assertExact(Role.SUBSCRIBE, plays);
    }
  }

  @Test
  void await_withExactlyItsScript_registersAndLooks_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.AWAIT)) {
      DataSource dataSource = account.dataSource();
      Plays plays = new Plays(database);
      plays.add(
          "register twice",
          () -> {
            Waiters waiters = Waiters.of(Transactions.on(dataSource));
            waiters.register("w", 1, "s");
            waiters.register("w", 2, "s");
          });
      plays.add(
          "await",
          () -> {
            database.execute(
                "INSERT INTO queue_result (message_id, topic, settled_at, expires_at, content)"
                    + " VALUES (1, 'play', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')");
            try (Results results = Results.over(dataSource)) {
              Plays.hold(
                  results
                          .awaiting(new MessageId(1), Integer.class)
                          .orTimeout(5, TimeUnit.SECONDS)
                          .join()
                      == 1);
            }
          });
      account.assertExact(Role.AWAIT, plays);
    }
  }

  private static void execute(DataSource account, String... statements) {
    try (Connection connection = account.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  @Test
  void migrator_withExactlyItsScript_migratesFromEmptyAndLater_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.MIGRATOR)) {
      MysqlDataSource dataSource = (MysqlDataSource) account.dataSource();
      Plays plays = new Plays(this::drop);
      plays.add("migrate from empty", () -> Migrator.migrate(dataSource));
      plays.add("migrate once more", () -> migrateAgain(dataSource));
      plays.add("what later versions do", () -> later(dataSource));
      account.assertExact(Role.MIGRATOR, plays);
    } finally {
      drop();
      Migrator.migrate(database.dataSource());
    }
  }

  private void drop() {
    database
        .strings("SHOW TABLES LIKE 'queue\\_%'")
        .forEach(table -> database.execute("DROP TABLE " + table));
  }

  private void migrateAgain(DataSource migrator) {
    Migrator.migrate(database.dataSource());
    Migrator.migrate(migrator);
  }

  private void later(DataSource migrator) {
    Migrator.migrate(database.dataSource());
    execute(
        migrator,
        "SET SESSION lock_wait_timeout = 10",
        "CREATE TABLE queue_later (id INT PRIMARY KEY, a INT)",
        "ALTER TABLE queue_later ADD COLUMN b INT",
        "CREATE INDEX queue_later_a ON queue_later (a)",
        "DROP INDEX queue_later_a ON queue_later",
        "INSERT INTO queue_later (id) SELECT version FROM queue_schema",
        "UPDATE queue_later SET a = id",
        "DELETE FROM queue_later",
        "DROP TABLE queue_later");
  }

  @Test
  void migrator_ofASchemaWithAnUnderscore_getsNoOtherThatFitsThePattern() {
    String like = database.name().replace('_', 'x');
    database.execute("DROP DATABASE IF EXISTS " + like, "CREATE DATABASE " + like);
    try (Accounts account = Accounts.with(database, Role.MIGRATOR)) {
      DataSource dataSource = account.dataSource();
      assertThatThrownBy(() -> execute(dataSource, "CREATE TABLE " + like + ".t (id INT)"))
          .hasMessageContaining("denied");
    } finally {
      database.execute("DROP DATABASE " + like);
    }
  }

  @Test
  void partition_onTopOfOperatorAndWorker_partitionsAndTendsTheDays_andNeedsAllOfIt() {
    QueueDatabase own = QueueDatabase.create();
    try (own;
        Accounts account = Accounts.with(own, Role.WORKER, Role.PARTITION)) {
      Plays plays = new Plays(own);
      plays.add("partition and tend", () -> partition(own, account.dataSource()));
      account.assertExact(Role.PARTITION, plays);
    }
  }

  @Test
  void keys_onTopOfOperator_looksWhichKeysAreInUse_andNeedsAllOfIt() {
    try (Accounts account = Accounts.with(database, Role.OPERATOR, Role.KEYS)) {
      Plays plays = new Plays(database);
      plays.add(
          "keys in use",
          () -> {
            database.execute(
                "INSERT INTO queue_message (topic, headers, payload) VALUES ('play',"
                    + " '{\"rowqueue-wrapped\": \"sealed\", \"rowqueue-body\": \"rows\"}', '')");
            var unused = KeysInUse.of(Transactions.on(account.dataSource())).find();
          });
      account.assertExact(Role.KEYS, plays);
    }
  }

  /** Days that no topic keeps go, and those that come are made; what is refused is only logged. */
  private static void partition(QueueDatabase own, DataSource account) {
    unpartition(own);
    Archive archive = Archive.of(Transactions.on(account));
    if (!archive.partitionByDay()) {
      throw new AssertionError("it was partitioned before");
    }
    // As if it had been partitioned long ago: the first day is old, and there is none for tomorrow.
    unpartition(own);
    own.execute(
        "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day)"
            + " (PARTITION day_2020_01_01 VALUES LESS THAN ('2020-01-02'), "
            + own.strings(TODAY).get(0)
            + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
    archive.tendDays();
    assertThat(own.strings(PARTITIONS)).doesNotContain("day_2020_01_01").hasSize(4);
  }

  private static void unpartition(QueueDatabase own) {
    if (!own.strings(PARTITIONS).isEmpty()) {
      own.execute("ALTER TABLE queue_archive REMOVE PARTITIONING");
    }
  }

  @Test
  void account_thatLacksSomething_isToldAllOfItBeforeAnythingRuns() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      Transactions transactions = Transactions.on(account.dataSource());
      AccountCheck.check(transactions, Role.WORKER);
      for (Grant grant : Accounts.each(Role.WORKER)) {
        account.without(
            grant,
            () ->
                assertThatThrownBy(() -> AccountCheck.check(transactions, Role.WORKER))
                    .isInstanceOf(MissingPrivilegeException.class)
                    .hasMessageContaining("it lacks " + grant.privilege())
                    .hasMessageContaining("on " + grant.table() + ";")
                    .hasMessageContaining("`queue-worker grants worker`"));
      }
    }
    try (Accounts account = Accounts.with(database, Role.PRODUCER)) {
      Transactions transactions = Transactions.on(account.dataSource());
      assertThatThrownBy(() -> AccountCheck.check(transactions, Role.WORKER))
          .hasMessageContaining(account.user())
          .hasMessageContaining("SELECT on queue_identity, SELECT on queue_topic, SELECT on")
          .hasMessageContaining("INSERT on queue_dead_letter_attempt");
    }
    AccountCheck.check(Transactions.on(database.dataSource()), Role.WORKER);
  }
}
