package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.EnqueueException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.archive.ArchiveReplay;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.sample.Sample;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.grant.AccountCheck;
import io.rowqueue.worker.internal.grant.AccountCheck.MissingPrivilegeException;
import io.rowqueue.worker.internal.grant.Grant;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

  /** The scripts that the table of operations exercises, each with those that it is on top of. */
  private static final Map<Role, List<Role>> BASES = bases();

  private static final Map<Role, User> users = new EnumMap<>(Role.class);

  private final QueueDatabase database;

  GrantsIT(QueueDatabase database) {
    this.database = database;
  }

  private static Map<Role, List<Role>> bases() {
    Map<Role, List<Role>> bases = new EnumMap<>(Role.class);
    for (Role role :
        List.of(Role.WORKER, Role.OPERATOR, Role.PRODUCER, Role.CONFIGURATOR, Role.RESULT_READER)) {
      bases.put(role, List.of());
    }
    bases.put(Role.PRODUCER_REPLACING, List.of(Role.PRODUCER));
    return bases;
  }

  /** A role, and one of its privileges that is taken away. */
  private record Cell(Role role, Grant missing) {

    static List<Cell> all() {
      return BASES.keySet().stream()
          .flatMap(role -> Accounts.each(role).stream().map(grant -> new Cell(role, grant)))
          .toList();
    }

    @Override
    public String toString() {
      return "%s without %s%s on %s"
          .formatted(
              role.label(),
              missing.privilege(),
              missing.columns().isEmpty() ? "" : " " + missing.columns(),
              missing.table());
    }
  }

  @AfterAll
  static void closeAccounts() {
    users.values().forEach(User::close);
    users.clear();
  }

  /** All that an account of the role does. */
  @ParameterizedTest
  @MethodSource
  void script_isEnough(Role role) {
    user(role).plays.assertAllowed();
  }

  static Set<Role> script_isEnough() {
    return BASES.keySet();
  }

  @TestFactory
  Stream<DynamicTest> privilege_isNeeded() {
    return Sample.of(GrantsIT.class, 4, Cell.all())
        .tests(cell -> user(cell.role).account.assertNeeded(cell.missing, user(cell.role).plays));
  }

  private User user(Role role) {
    return users.computeIfAbsent(role, absent -> User.of(database, role));
  }

  /** An account of a role, and what it does. */
  private record User(Accounts account, OperationRunner runner, AccountActions plays) {

    static User of(QueueDatabase database, Role role) {
      List<Role> roles = new ArrayList<>(List.of(role));
      roles.addAll(BASES.getOrDefault(role, List.of()));
      Accounts account = Accounts.with(database, roles.toArray(Role[]::new));
      AccountActions plays = new AccountActions(() -> {});
      OperationRunner runner = new OperationRunner(database, plays.watched(account.dataSource()));
      addTo(plays, role, runner);
      return new User(account, runner, plays);
    }

    private static void addTo(AccountActions plays, Role role, OperationRunner runner) {
      Operations.all().stream()
          .filter(operation -> operation.grants().contains(role))
          .forEach(
              operation -> plays.add(operation.toString(), () -> runner.send(operation.setup())));
      Queries.all().stream()
          .filter(query -> query.roles().contains(role))
          .forEach(query -> plays.add(query.name(), () -> runner.send(query.setup())));
    }

    void close() {
      runner.close();
      account.close();
    }
  }

  @Test
  void producer_thatMayNotInsert_isToldWhereTheGrantsAre() {
    try (Accounts account = Accounts.with(database, Role.CONFIGURATOR)) {
      assertThatThrownBy(
              () ->
                  MessageProducer.create().enqueue(account.dataSource(), NewMessage.of("play", 1)))
          .isInstanceOf(EnqueueException.class)
          .hasMessageContaining("denied")
          .hasMessageContaining("`queue-worker grants` prints what each account needs");
    }
  }

  @Test
  void producer_ofWhatOperatorsDo_readsSettingsAndClosesBatches() {
    AccountActions plays = new AccountActions(() -> {});
    try (Accounts account = Accounts.with(database, Role.PRODUCER);
        OperationRunner runner =
            new OperationRunner(database, plays.watched(account.dataSource()))) {
      User.addTo(plays, Role.OPERATOR, runner);
      assertThat(plays.allowed())
          .containsExactly(
              "batch-close, of an empty one",
              "batch-close, of one with members",
              "check the schema",
              "the dashboard's search by deduplication key",
              "topics list",
              "batches list",
              "batches show",
              "subscriptions list");
    }
  }

  @Test
  void operatorAndProducer_replayArchivedMessages() {
    QueueDatabase own = QueueDatabase.create();
    try (own;
        Accounts account = Accounts.with(own, Role.OPERATOR, Role.PRODUCER)) {
      own.execute(
          "INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts,"
              + " lost_claims, worker, due_at, created_at, settled_at, payload, ordering_key)"
              + " VALUES (1, UTC_DATE(), 'play', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
              + " UTC_TIMESTAMP(), '{}', NULL), (2, UTC_DATE(), 'play', 0, 1, 0, 0, 'w',"
              + " UTC_TIMESTAMP(), UTC_TIMESTAMP(), UTC_TIMESTAMP(), '{}', 'key')");
      ArchiveReplay archive = new ArchiveReplay(Transactions.on(account.dataSource()));
      ArchiveReplay.Filter all = new ArchiveReplay.Filter(new Topic("play"), null, null);
      assertThat(archive.replay(archive.page(all, null, 9))).isEqualTo(2);
    }
  }

  @Test
  void worker_byLastInsertId_needsTheUpdateOfTheIdThatTheScriptNames() {
    AccountActions plays = new AccountActions(() -> {});
    try (Accounts account = Accounts.with(database, Role.WORKER);
        OperationRunner runner =
            new OperationRunner(database, plays.watched(account.dataSource()))) {
      Operations.all().stream()
          .filter(operation -> operation.toString().equals("claim, last-insert-id"))
          .forEach(
              operation -> plays.add(operation.toString(), () -> runner.send(operation.setup())));
      assertThat(plays.allowed()).isEmpty();
      database.execute(
          "GRANT UPDATE (id) ON %s.queue_message TO '%s'@'%%'"
              .formatted(database.name(), account.user()));
      plays.assertAllowed();
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
      AccountActions plays = new AccountActions(this::drop);
      DataSource dataSource = plays.watched(account.dataSource());
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
  void migrator_partitionsTheArchive() {
    QueueDatabase own = QueueDatabase.create();
    try (own;
        Accounts account = Accounts.with(own, Role.MIGRATOR)) {
      AccountActions plays = new AccountActions(() -> unpartition(own));
      DataSource dataSource = plays.watched(account.dataSource());
      plays.add("partition", () -> QueueOperations.of(dataSource).archive().partitionByDay());
      plays.assertAllowed();
      assertThat(own.strings(PARTITIONS)).isNotEmpty();
    }
  }

  @Test
  void worker_withTheGrantsOnTheArchiveThatItsScriptNames_maintainsPartitions_andNeedsBoth() {
    QueueDatabase own = QueueDatabase.create();
    try (own;
        Accounts account = Accounts.with(own, Role.WORKER)) {
      AccountActions plays = new AccountActions(own::clean);
      DataSource dataSource = plays.watched(account.dataSource());
      plays.add("maintain", () -> maintain(own, dataSource));
      own.execute(
          "GRANT ALTER, DROP ON %s.queue_archive TO '%s'@'%%'"
              .formatted(own.name(), account.user()));
      plays.assertAllowed();
      for (String privilege : List.of("ALTER", "DROP")) {
        account.assertNeeded(new Grant(privilege, List.of(), "queue_archive"), plays);
      }
    }
  }

  /**
   * As if the archive had been partitioned long ago: the first day is old, and tomorrow's partition
   * is missing. A denial is only logged.
   */
  private static void maintain(QueueDatabase own, DataSource account) {
    unpartition(own);
    own.execute(
        "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day)"
            + " (PARTITION day_2020_01_01 VALUES LESS THAN ('2020-01-02'), "
            + own.strings(TODAY).get(0)
            + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
    QueueOperations.of(account).archive().maintainPartitions();
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
                    .hasMessageContaining("of a worker: " + grant.privilege())
                    .hasMessageContaining("on " + grant.table() + ";")
                    .hasMessageContaining("`queue-worker grants worker`"));
      }
    }
    try (Accounts account = Accounts.with(database, Role.PRODUCER)) {
      Transactions transactions = Transactions.on(account.dataSource());
      assertThatThrownBy(() -> AccountCheck.check(transactions, Role.WORKER))
          .hasMessageContaining(account.user())
          .hasMessageContaining("SELECT on queue_message, INSERT")
          .hasMessageContaining("INSERT on queue_attempt");
    }
    AccountCheck.check(Transactions.on(database.dataSource()), Role.WORKER);
  }
}
