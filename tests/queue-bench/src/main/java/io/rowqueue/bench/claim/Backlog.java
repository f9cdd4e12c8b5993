package io.rowqueue.bench.claim;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import java.sql.SQLException;

/** Claims beside a backlog of ten thousand, a million, and five million that are available. */
public final class Backlog implements Workload {

  private static final int MANY = 1_000_000;
  private static final int MOST = 5_000_000;

  @Override
  public String name() {
    return "backlog";
  }

  @Override
  public String what() {
    return "claims beside ten thousand, a million and five million available messages";
  }

  @Override
  public void run(Stage stage) throws SQLException {
    Beside beside = new Beside(stage, name());
    try (Claims claims = new Claims(stage.database())) {
      fillUp(stage, claims, Beside.FEW);
      beside.measure("%,d available".formatted(Beside.FEW), claims);
      for (int rows : new int[] {MANY, MOST}) {
        int all = Math.max(Beside.FEW, stage.messages(rows));
        fillUp(stage, claims, all);
        beside.measure("%,d available".formatted(all), claims);
      }
    }
    beside.report();
  }

  private static void fillUp(Stage stage, Claims claims, int rows) {
    claims.fillAvailable(rows - (int) stage.database().count("SELECT COUNT(*) FROM queue_message"));
  }
}
