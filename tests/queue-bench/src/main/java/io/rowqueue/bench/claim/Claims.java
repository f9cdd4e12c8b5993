package io.rowqueue.bench.claim;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.bench.measure.Digits;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Meter;
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
import java.util.List;
import java.util.stream.Collectors;

/**
 * Claims of 100 on the calling thread, as the worker's claimer makes them, each settled at once
 * outside of the measure. For one thread.
 */
final class Claims implements AutoCloseable {

  static final int SIZE = 100;

  private static final Topic TOPIC = new Topic("cost");
  private static final int REPETITIONS = 11;

  private final QueueDatabase database;
  private final LockId me = LockId.create("bench", 1);
  private final List<Injector> injectors = new ArrayList<>();

  Claims(QueueDatabase database) {
    this.database = database;
    Digits.prepare(database);
  }

  /** One as a worker would use it. */
  ClaimStrategy strategy(Kind kind, boolean cursor) {
    WorkerConfig config =
        WorkerConfig.defaults(database.config())
            .withThreads(1)
            .withClaims(ClaimConfig.defaults().withSettings(new ClaimSettings(kind, cursor)));
    Injector injector = Guice.createInjector(new WorkerModule(config));
    injectors.add(injector);
    return injector.getInstance(ClaimStrategy.class);
  }

  /**
   * What {@link #REPETITIONS} of them took, in ms.
   *
   * @param rows how many messages they and a first one, which is not measured, have removed
   */
  record Sample(Figures millis, int rows) {}

  Sample sample(ClaimStrategy strategy) throws SQLException {
    try (Connection connection = database.connect()) {
      // The first claim opens connections and prepares statements.
      int rows = settle(connection, claim(strategy));
      List<Double> millis = new ArrayList<>();
      for (int i = 0; i < REPETITIONS; i++) {
        long start = System.nanoTime();
        List<Claim> claims = claim(strategy);
        millis.add((System.nanoTime() - start) / 1e6);
        rows += settle(connection, claims);
      }
      return new Sample(Figures.of(millis), rows);
    }
  }

  /** Claims and settles {@code rows}, or somewhat more. */
  int drain(ClaimStrategy strategy, int rows) throws SQLException {
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

  /** The same, and what it took. */
  Effort drain(ClaimStrategy strategy, int rows, Meter meter) throws SQLException {
    Meter.Mark from = meter.mark();
    int drained = drain(strategy, rows);
    return meter.since(from, drained);
  }

  private List<Claim> claim(ClaimStrategy strategy) {
    return strategy.claim(new ClaimRequest(TOPIC, me, SIZE, 1));
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

  /** So many that are available. */
  void fillAvailable(int rows) {
    fill(rows, "0, UTC_TIMESTAMP(6)");
  }

  /** So many that are due tomorrow. */
  void fillScheduled(int rows) {
    fill(rows, "2, UTC_TIMESTAMP(6) + INTERVAL 1 DAY");
  }

  /** Makes the rows on the server: no round trip carries them. */
  private void fill(int rows, String stateAndDue) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, due_at) SELECT '%s', REPEAT('x', 200), %s FROM digit a, digit b, digit c, digit d, digit e, digit f, digit g LIMIT %d"
            .formatted(TOPIC.name(), stateAndDue, rows));
  }

  /** Removes every row. */
  void empty() {
    database.execute("DELETE FROM queue_message");
  }

  /** The schema is dropped by whoever created it; the connections are closed here. */
  @Override
  public void close() {
    injectors.forEach(injector -> injector.getInstance(WorkerPools.class).close());
  }
}
