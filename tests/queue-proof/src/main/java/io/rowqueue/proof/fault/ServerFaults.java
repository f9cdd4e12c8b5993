package io.rowqueue.proof.fault;

import io.rowqueue.MessageId;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Wire.Loss;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What happens to the database server, to its rows and to its locks. */
final class ServerFaults {

  private static final String INSERT_ROW =
      "INSERT INTO queue_message (topic, payload, headers) VALUES (?, ?, ?)";
  private static final int NO_SUCH_THREAD = 1094;
  private static final Duration LONGEST_TO_COME_IN = Duration.ofSeconds(60);

  private ServerFaults() {}

  /** SIGKILL, and a start some time later. */
  static Set<Long> kill(Cluster cluster, RandomGenerator random) throws Exception {
    cluster.deadlocks().read();
    cluster.server().kill(cluster.database());
    Client.pause(0, 2_000, random);
    cluster.server().restart();
    return Injection.EVERYBODY;
  }

  /** Takes no writes for a while. */
  static Set<Long> readOnly(Cluster cluster, RandomGenerator random) {
    QueueDatabase database = cluster.database();
    String variable = database.isMariaDb() ? "read_only" : "super_read_only";
    try {
      database.execute("SET GLOBAL " + variable + " = 1");
      Client.pause(100, 2_000, random);
    } finally {
      database.execute("SET GLOBAL " + variable + " = 0", "SET GLOBAL read_only = 0");
    }
    return Injection.EVERYBODY;
  }

  /** Ends every connection of the workers and lets none in for a while. */
  static Set<Long> tooManyConnections(Cluster cluster, RandomGenerator random) throws SQLException {
    long most = cluster.database().count("SELECT @@max_connections");
    // Nobody else may come in to undo it.
    try (Connection connection = cluster.database().connect();
        Statement statement = connection.createStatement()) {
      try {
        statement.execute("SET GLOBAL max_connections = 10");
        killAll(cluster, statement);
        Client.pause(100, 1_500, random);
      } finally {
        statement.execute("SET GLOBAL max_connections = " + most);
      }
    }
    return Injection.EVERYBODY;
  }

  private static void killAll(Cluster cluster, Statement statement) throws SQLException {
    for (String id : connections(cluster)) {
      kill(statement, "KILL " + id);
    }
  }

  /**
   * Gives the account a new password and ends its connections; the workers' file has the password
   * later. Until then workers must wait, not stop. The old one comes back in the same way, because
   * clients know no other.
   */
  static Set<Long> changePassword(Cluster cluster, RandomGenerator random) throws Exception {
    List<Cluster.Worker> living = cluster.living();
    String other = "changed-" + random.nextInt(1_000_000);
    try (Connection connection = cluster.database().connect();
        Statement statement = connection.createStatement()) {
      for (String password : List.of(other, Cluster.PASSWORD)) {
        cluster.changePassword(password);
        killAll(cluster, statement);
        Client.pause(500, 2_000, random);
        cluster.writePassword(password);
        Await.until(
            "a worker comes in with its new password",
            LONGEST_TO_COME_IN,
            () -> connections(cluster),
            ids -> !ids.isEmpty());
      }
    } catch (AssertionError e) {
      cluster.report(String.valueOf(e.getMessage()));
    } finally {
      cluster.changePassword(Cluster.PASSWORD);
      cluster.writePassword(Cluster.PASSWORD);
    }
    living.stream()
        .filter(worker -> !worker.isAlive())
        .forEach(
            worker -> cluster.report("worker %d ended with its password".formatted(worker.pid())));
    return Injection.EVERYBODY;
  }

  /** Refuses each settlement of one message in three of a topic, and each dead letter of it. */
  static Set<Long> refuseRows(Cluster cluster, RandomGenerator random) {
    QueueDatabase database = cluster.database();
    String refusal =
        " FOR EACH ROW IF %1$s.topic = '%2$s' AND MOD(%1$s.id, 3) = %3$d THEN"
            + " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused on purpose'; END IF";
    int rest = random.nextInt(3);
    try {
      database.execute(
          "CREATE TRIGGER refuse_settlement BEFORE DELETE ON queue_message"
              + refusal.formatted("OLD", FaultTopics.ALONE, rest),
          "CREATE TRIGGER refuse_dead_letter BEFORE INSERT ON queue_dead_letter"
              + refusal.formatted("NEW", FaultTopics.ALONE, rest));
      Client.pause(1_000, 3_000, random);
    } finally {
      database.execute(
          "DROP TRIGGER IF EXISTS refuse_settlement", "DROP TRIGGER IF EXISTS refuse_dead_letter");
    }
    return Injection.EVERYBODY;
  }

  /** Ends one connection of the workers, whatever it is about. */
  static Set<Long> killConnection(Cluster cluster, RandomGenerator random) throws SQLException {
    killOne(cluster, "KILL ", random);
    return Injection.EVERYBODY;
  }

  /** Ends one statement of the workers, as a wake-up notification does that hits the wrong one. */
  static Set<Long> killQuery(Cluster cluster, RandomGenerator random) throws SQLException {
    killOne(cluster, "KILL QUERY ", random);
    return Injection.EVERYBODY;
  }

  private static void killOne(Cluster cluster, String verb, RandomGenerator random)
      throws SQLException {
    List<String> ids = connections(cluster);
    if (!ids.isEmpty()) {
      kill(cluster, verb + ids.get(random.nextInt(ids.size())));
    }
  }

  private static void kill(Cluster cluster, String command) throws SQLException {
    try (Connection connection = cluster.database().connect();
        Statement statement = connection.createStatement()) {
      kill(statement, command);
    }
  }

  private static void kill(Statement statement, String command) throws SQLException {
    try {
      statement.execute(command);
    } catch (SQLException e) {
      if (e.getErrorCode() != NO_SUCH_THREAD) {
        throw e;
      }
      // It ended by itself in between.
    }
  }

  /**
   * MySQL's information_schema renders every statement that runs, and fails at one with binary
   * text.
   */
  private static List<String> connections(Cluster cluster) throws SQLException {
    String processes =
        cluster.database().isMariaDb()
            ? "information_schema.processlist"
            : "performance_schema.processlist";
    return cluster.strings(
        "SELECT id FROM " + processes + " WHERE user = '" + cluster.account() + "' ORDER BY id");
  }

  /** Ends the connection that holds a worker's liveness lock, while the worker lives. */
  static Set<Long> loseLivenessLock(Cluster cluster, RandomGenerator random) throws SQLException {
    List<String> holders =
        cluster.strings(
            "SELECT IS_USED_LOCK(lock_id) FROM queue_worker WHERE is_alive = 1 AND"
                + " IS_USED_LOCK(lock_id) IS NOT NULL ORDER BY lock_id");
    if (!holders.isEmpty()) {
      kill(cluster, "KILL " + holders.get(random.nextInt(holders.size())));
    }
    return Injection.EVERYBODY;
  }

  /** Packets of producers and workers may be no larger than some of the payloads. */
  static Set<Long> smallPackets(Cluster cluster, RandomGenerator random) {
    QueueDatabase database = cluster.database();
    long most = database.count("SELECT @@GLOBAL.max_allowed_packet");
    try {
      database.execute("SET GLOBAL max_allowed_packet = 16384");
      Client.pause(200, 1_500, random);
    } finally {
      database.execute("SET GLOBAL max_allowed_packet = " + most);
    }
    return Injection.EVERYBODY;
  }

  /** The server has room for few prepared statements, and soon for none. */
  static Set<Long> fewPreparedStatements(Cluster cluster, RandomGenerator random) {
    QueueDatabase database = cluster.database();
    long most = database.count("SELECT @@GLOBAL.max_prepared_stmt_count");
    try {
      for (int few : new int[] {0, 50, 0}) {
        database.execute("SET GLOBAL max_prepared_stmt_count = " + few);
        Client.pause(100, 700, random);
      }
    } finally {
      database.execute("SET GLOBAL max_prepared_stmt_count = " + most);
    }
    return Injection.EVERYBODY;
  }

  /** Another client locks rows of the queue for longer than a statement waits for them. */
  static Set<Long> lockRows(Cluster cluster, RandomGenerator random) throws SQLException {
    long usual = cluster.database().count("SELECT @@GLOBAL.innodb_lock_wait_timeout");
    cluster.database().execute("SET GLOBAL innodb_lock_wait_timeout = 1");
    try (Connection connection = cluster.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.execute(
          random.nextInt(4) == 0
              ? "SELECT * FROM queue_worker FOR UPDATE"
              : "SELECT id FROM queue_message FORCE INDEX (PRIMARY) WHERE state = 1 LIMIT 20 FOR"
                  + " UPDATE SKIP LOCKED");
      Client.pause(1_200, 2_500, random);
      connection.rollback();
    } finally {
      cluster.database().execute("SET GLOBAL innodb_lock_wait_timeout = " + usual);
    }
    return Injection.EVERYBODY;
  }

  /**
   * Locks a message that is being handled, and then waits for its effect, whose transaction waits
   * for the message: one of both must give way, and this one has the more to undo.
   */
  static Set<Long> deadlock(Cluster cluster, RandomGenerator random) throws SQLException {
    cluster.deadlocks().read();
    cluster.database().execute("CREATE TABLE IF NOT EXISTS ballast (id INT PRIMARY KEY)");
    try (Connection connection = cluster.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.execute("DELETE FROM ballast");
      for (int i = 0; i < 20; i++) {
        statement.execute("INSERT INTO ballast VALUES (" + i + ")");
      }
      for (String id : someInFlight(cluster, random)) {
        statement.execute("SELECT id FROM queue_message WHERE id = " + id + " FOR UPDATE");
        statement.execute("SELECT claim FROM effect WHERE message_id = " + id + " FOR UPDATE");
      }
      connection.rollback();
    } catch (SQLException e) {
      if (e.getErrorCode() != 1213 && e.getErrorCode() != 1205) {
        throw e;
      }
      // It gave way itself.
    } finally {
      cluster.deadlocks().readInjected();
    }
    return Injection.EVERYBODY;
  }

  private static List<String> someInFlight(Cluster cluster, RandomGenerator random) {
    return cluster
        .database()
        .strings(
            "SELECT id FROM queue_message WHERE state = 1 ORDER BY id LIMIT "
                + (1 + random.nextInt(20)));
  }

  /** Five rows that no codec reads, and one of a topic without a handler. */
  static Set<Long> insertOddRows(Cluster cluster, RandomGenerator random) throws SQLException {
    byte[] noise = new byte[200];
    random.nextBytes(noise);
    try (Connection connection = cluster.database().connect()) {
      connection.setAutoCommit(false);
      insert(connection, FaultTopics.ALONE, new byte[0], null);
      insert(connection, FaultTopics.SHARED, noise, null);
      insert(connection, FaultTopics.BATCH, bytes("[1, 2"), null);
      insert(
          connection, FaultTopics.ALONE, bytes("{\"ending\": \"NO SUCH\", \"millis\": 1}"), null);
      insert(
          connection,
          FaultTopics.BATCH,
          bytes("{\"ending\": \"SUCCEED\"}"),
          "these are no headers");
      insert(connection, FaultTopics.UNKNOWN, bytes("{}"), null);
      connection.commit();
    }
    Client.pause(100, 500, random);
    return Injection.NOBODY;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void insert(
      Connection connection, String topic, byte[] payload, @Nullable String headers)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT_ROW, Statement.RETURN_GENERATED_KEYS)) {
      insert.setString(1, topic);
      insert.setBytes(2, payload);
      insert.setString(3, headers);
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        keys.next();
        Ledger.write(
            connection,
            List.of(new Ledger.Entry(new MessageId(keys.getLong(1)), topic, "ODD", null, null, 0)));
      }
    }
  }

  /** What happens between a worker and the server. */
  static final class WireFaults {

    private static final int BEYOND_THE_LEASE_MILLIS = 4_000;
    private static final long LONGEST_WAIT_SECONDS = 2;

    private WireFaults() {}

    /** Every connection of a worker is cut. */
    static Set<Long> cut(Cluster cluster, RandomGenerator random) {
      Cluster.Worker victim = cluster.victim(random);
      victim.wire().cut();
      return Set.of(victim.pid());
    }

    /** Every packet and every answer takes longer. */
    static Set<Long> delay(Cluster cluster, RandomGenerator random) {
      Cluster.Worker victim = cluster.victim(random);
      victim.wire().delay(Duration.ofMillis(1 + random.nextInt(60)));
      Client.pause(200, 1_500, random);
      victim.wire().delay(Duration.ZERO);
      return Set.of(victim.pid());
    }

    /** Nothing goes through, for longer than the lease, and then all that was held up. */
    static Set<Long> freeze(Cluster cluster, RandomGenerator random) {
      Cluster.Worker victim = cluster.victim(random);
      victim.wire().freeze();
      try {
        Client.pause(BEYOND_THE_LEASE_MILLIS + random.nextInt(1_000));
      } finally {
        victim.wire().thaw();
      }
      return Set.of(victim.pid());
    }

    /** The server has forgotten connections that the worker believes in. */
    static Set<Long> halfOpen(Cluster cluster, RandomGenerator random) {
      Cluster.Worker victim = cluster.victim(random);
      victim.wire().forgetClients();
      return Set.of(victim.pid());
    }

    /** A COMMIT is lost on its way, or its answer is. */
    static Set<Long> loseCommit(Cluster cluster, RandomGenerator random)
        throws InterruptedException, ExecutionException {
      Cluster.Worker victim = cluster.victim(random);
      Loss how = random.nextBoolean() ? Loss.BEFORE_THE_SERVER : Loss.BEFORE_THE_CLIENT;
      victim.wire().loseNextCommit(how);
      try {
        victim.wire().lost().get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        victim.wire().keepCommits();
      }
      return Set.of(victim.pid());
    }
  }
}
