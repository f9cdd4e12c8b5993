package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What happens to the database server. */
final class ServerFaults {

  private static final int NO_SUCH_THREAD = 1094;

  private ServerFaults() {}

  /** SIGKILL, and a start some time later. */
  static Set<Long> kill(Rig rig, RandomGenerator random) throws Exception {
    rig.deadlocks().read();
    rig.server().kill(rig.database());
    Pauses.between(0, 2_000, random);
    rig.server().restart();
    return Fault.EVERYBODY;
  }

  /** Takes no writes for a while. */
  static Set<Long> readOnly(Rig rig, RandomGenerator random) {
    QueueDatabase database = rig.database();
    String variable = database.isMariaDb() ? "read_only" : "super_read_only";
    try {
      database.execute("SET GLOBAL " + variable + " = 1");
      Pauses.between(100, 2_000, random);
    } finally {
      database.execute("SET GLOBAL " + variable + " = 0", "SET GLOBAL read_only = 0");
    }
    return Fault.EVERYBODY;
  }

  /** Ends every connection of the workers and lets none in for a while. */
  static Set<Long> tooManyConnections(Rig rig, RandomGenerator random) throws SQLException {
    long most = rig.database().count("SELECT @@max_connections");
    // Nobody else may come in to undo it.
    try (Connection connection = rig.database().connect();
        Statement statement = connection.createStatement()) {
      try {
        statement.execute("SET GLOBAL max_connections = 10");
        for (String id : connections(rig)) {
          kill(statement, "KILL " + id);
        }
        Pauses.between(100, 1_500, random);
      } finally {
        statement.execute("SET GLOBAL max_connections = " + most);
      }
    }
    return Fault.EVERYBODY;
  }

  /** Ends one connection of the workers, whatever it is about. */
  static Set<Long> killConnection(Rig rig, RandomGenerator random) throws SQLException {
    killOne(rig, "KILL ", random);
    return Fault.EVERYBODY;
  }

  /** Ends one statement of the workers, as a ring does that hits a stranger. */
  static Set<Long> killQuery(Rig rig, RandomGenerator random) throws SQLException {
    killOne(rig, "KILL QUERY ", random);
    return Fault.EVERYBODY;
  }

  private static void killOne(Rig rig, String verb, RandomGenerator random) throws SQLException {
    List<String> ids = connections(rig);
    if (!ids.isEmpty()) {
      kill(rig, verb + ids.get(random.nextInt(ids.size())));
    }
  }

  private static void kill(Rig rig, String command) throws SQLException {
    try (Connection connection = rig.database().connect();
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
  private static List<String> connections(Rig rig) throws SQLException {
    String processes =
        rig.database().isMariaDb()
            ? "information_schema.processlist"
            : "performance_schema.processlist";
    return rig.look(
        "SELECT id FROM " + processes + " WHERE user = '" + rig.account() + "' ORDER BY id");
  }

  /** Ends the connection that holds a worker's liveness lock, while the worker lives. */
  static Set<Long> loseLivenessLock(Rig rig, RandomGenerator random) throws SQLException {
    List<String> holders =
        rig.look(
            "SELECT IS_USED_LOCK(lock_id) FROM queue_worker WHERE alive = 1 AND"
                + " IS_USED_LOCK(lock_id) IS NOT NULL ORDER BY lock_id");
    if (!holders.isEmpty()) {
      kill(rig, "KILL " + holders.get(random.nextInt(holders.size())));
    }
    return Fault.EVERYBODY;
  }

  /** Packets of producers and workers may be no larger than some of the payloads. */
  static Set<Long> smallPackets(Rig rig, RandomGenerator random) {
    QueueDatabase database = rig.database();
    long most = database.count("SELECT @@GLOBAL.max_allowed_packet");
    try {
      database.execute("SET GLOBAL max_allowed_packet = 16384");
      Pauses.between(200, 1_500, random);
    } finally {
      database.execute("SET GLOBAL max_allowed_packet = " + most);
    }
    return Fault.EVERYBODY;
  }
}
