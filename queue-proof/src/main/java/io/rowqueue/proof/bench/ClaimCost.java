package io.rowqueue.proof.bench;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Measures a claim of 100, with the cursor and without it: against messages drained while an old
 * snapshot is open, with a million rows that are scheduled, and with a million that are available;
 * and then the four strategies side by side. Prints medians in milliseconds. Works in a schema of
 * its own, which it drops.
 */
public final class ClaimCost implements AutoCloseable {

  private static final Topic TOPIC = new Topic("cost");
  private static final int CLAIM = 100;
  private static final int REPETITIONS = 11;
  private static final int DRAINED = 300_000;
  private static final int POINT_EVERY = 50_000;
  private static final int MANY = 1_000_000;

  private final QueueDatabase database;
  private final LockId me = LockId.create("bench", 1);
  private final List<Injector> injectors = new ArrayList<>();

  private ClaimCost(QueueDatabase database) {
    this.database = database;
  }

  /**
   * Runs all of it.
   *
   * @param arguments the JDBC URL of a server, with user and password; none for an embedded MariaDB
   */
  public static void main(String[] arguments) throws SQLException {
    if (arguments.length > 0) {
      System.setProperty("rowqueue.test.url", arguments[0]);
    }
    try (QueueDatabase database = QueueDatabase.create();
        ClaimCost cost = new ClaimCost(database)) {
      cost.run();
    }
    System.exit(0);
  }

  private void run() throws SQLException {
    System.out.println("server " + database.strings("SELECT VERSION()").get(0));
    System.out.printf("%nmedian ms of a claim of %d (%d repetitions)%n", CLAIM, REPETITIONS);
    System.out.printf("%-52s %10s %10s%n", "", "cursor", "no cursor");
    withASnapshot();
    with("a million scheduled", "2, UTC_TIMESTAMP(6) + INTERVAL 1 DAY");
    with("a million available", "0, UTC_TIMESTAMP(6)");
    strategies();
  }

  /** Every point measures both ways on the same rows; the drain in between uses the cursor. */
  private void withASnapshot() throws SQLException {
    fill(DRAINED + 20_000, "0, UTC_TIMESTAMP(6)");
    ClaimStrategy cursor = strategy(Kind.SKIP_LOCKED, true);
    ClaimStrategy plain = strategy(Kind.SKIP_LOCKED, false);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
      statement.execute("SELECT COUNT(*) FROM queue_identity");
      int drained = 0;
      while (drained <= DRAINED) {
        Sample with = sample(cursor, connection());
        Sample without = sample(plain, connection());
        drained += with.rows() + without.rows();
        row("old snapshot, " + drained + " drained", with.median(), without.median());
        int next = (drained / POINT_EVERY + 1) * POINT_EVERY;
        drained += drain(cursor, Math.min(next, DRAINED + CLAIM) - drained);
      }
      statement.execute("ROLLBACK");
    }
    empty();
  }

  private void with(String what, String stateAndDue) throws SQLException {
    fill(MANY, stateAndDue);
    fill(10_000, "0, UTC_TIMESTAMP(6)");
    Sample cursor = sample(strategy(Kind.SKIP_LOCKED, true), connection());
    Sample plain = sample(strategy(Kind.SKIP_LOCKED, false), connection());
    row(what, cursor.median(), plain.median());
    if (!what.endsWith("available")) {
      empty();
    }
  }

  private void strategies() throws SQLException {
    System.out.printf("%nstrategies over the same million%n");
    for (Kind kind : Kind.values()) {
      Sample sample = sample(strategy(kind, true), connection());
      System.out.printf(Locale.ROOT, "%-52s %10.1f%n", kind.label(), sample.median());
    }
  }

  private void row(String what, double cursor, double plain) {
    System.out.printf(Locale.ROOT, "%-52s %10.1f %10.1f%n", what, cursor, plain);
  }

  private ClaimStrategy strategy(Kind kind, boolean cursor) {
    WorkerConfig config =
        WorkerConfig.defaults(database.config())
            .withThreads(1)
            .withClaims(ClaimConfig.defaults().withSettings(new ClaimSettings(kind, cursor)));
    Injector injector = Guice.createInjector(new WorkerModule(config));
    injectors.add(injector);
    return injector.getInstance(ClaimStrategy.class);
  }

  private Connection connection() {
    return database.connect();
  }

  private Sample sample(ClaimStrategy strategy, Connection connection) throws SQLException {
    try (connection) {
      // The first claim opens connections and prepares statements.
      int rows = settle(connection, claim(strategy));
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < REPETITIONS; i++) {
        long start = System.nanoTime();
        List<Claim> claims = claim(strategy);
        millis.add((System.nanoTime() - start) / 1e6);
        rows += settle(connection, claims);
      }
      millis.sort(Comparator.naturalOrder());
      return new Sample(millis.get(REPETITIONS / 2), rows);
    }
  }

  private int drain(ClaimStrategy strategy, int rows) throws SQLException {
    int drained = 0;
    try (Connection connection = database.connect()) {
      while (drained < rows) {
        int settled = settle(connection, claim(strategy));
        if (settled == 0) {
          throw new IllegalStateException("the queue ended after " + drained + " of " + rows);
        }
        drained += settled;
      }
    }
    return drained;
  }

  private List<Claim> claim(ClaimStrategy strategy) {
    return strategy.claim(new ClaimRequest(TOPIC, me, CLAIM, 1));
  }

  private static int settle(Connection connection, List<Claim> claims) throws SQLException {
    if (claims.isEmpty()) {
      return 0;
    }
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(
          claims.stream()
              .map(claim -> claim.id().toString())
              .collect(
                  Collectors.joining(
                      ",",
                      "DELETE m FROM queue_message m FORCE INDEX (PRIMARY) WHERE m.id IN (",
                      ")")));
    }
  }

  /** Makes the rows on the server: no round trip carries them. */
  private void fill(int rows, String stateAndDue) throws SQLException {
    String insert = "INSERT INTO queue_message (topic, payload, state, due_at) ";
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS digit (d INT PRIMARY KEY)");
      statement.execute("INSERT IGNORE INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
      statement.execute(
          insert
              + "SELECT '%s', REPEAT('x', 200), %s FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT %d"
                  .formatted(TOPIC.name(), stateAndDue, rows));
    }
  }

  private void empty() {
    database.execute("DELETE FROM queue_message");
  }

  /** The schema is dropped by whoever created it; the connections are closed here. */
  @Override
  public void close() {
    injectors.forEach(injector -> injector.getInstance(WorkerPools.class).close());
  }

  private record Sample(double median, int rows) {}
}
