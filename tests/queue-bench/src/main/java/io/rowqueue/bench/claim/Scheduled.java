package io.rowqueue.bench.claim;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import java.sql.SQLException;

/** Claims beside a million messages that are not to be claimed: scheduled, dead or archived. */
public final class Scheduled implements Workload {

  private static final int MANY = 1_000_000;

  @Override
  public String name() {
    return "scheduled";
  }

  @Override
  public String what() {
    return "claims beside a million messages that are scheduled, dead or archived";
  }

  @Override
  public void run(Stage stage) throws SQLException {
    int many = stage.messages(MANY);
    Beside beside = new Beside(stage, name());
    try (Claims claims = new Claims(stage.database())) {
      claims.fillAvailable(Beside.FEW);
      beside.measure("nothing", claims);
      claims.empty();
      claims.fillScheduled(many);
      claims.fillAvailable(Beside.FEW);
      beside.measure("%,d scheduled".formatted(many), claims);
      claims.empty();
      settled(stage, many);
      claims.fillAvailable(Beside.FEW);
      beside.measure("%,d dead letters, and as many archived".formatted(many), claims);
    }
    beside.report();
  }

  /** Dead letters and archived messages, so many of each, made on the server. */
  private static void settled(Stage stage, int rows) {
    String common =
        "id, topic, priority, claims, attempts, lost, worker, due_at, created_at, payload";
    String row =
        "1000000000 + a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d,"
            + " 'cost', 0, 1, 1, 0, 'bench', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), REPEAT('x', 200)";
    String digits = " FROM digit a, digit b, digit c, digit d, digit e, digit f LIMIT " + rows;
    stage
        .database()
        .execute(
            "INSERT INTO queue_dead_letter ("
                + common
                + ", reason, detail, dead_at) SELECT "
                + row
                + ", 'attempts-exhausted', '', UTC_TIMESTAMP(6)"
                + digits,
            "INSERT INTO queue_archive ("
                + common
                + ", settled_day, settled_at) SELECT "
                + row
                + ", UTC_DATE(), UTC_TIMESTAMP(6)"
                + digits);
  }
}
