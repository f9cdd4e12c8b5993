package io.rowqueue.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

@QueueTest
class DeadlockCounterIT {

  private static final String DEADLOCK = "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213";

  private final DeadlockCounter deadlocks = new DeadlockCounter();

  @Test
  void deadlock_thatIsSwallowed_isCounted(QueueDatabase database) throws SQLException {
    try (Connection connection = deadlocks.over(database.dataSource()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(DEADLOCK);
    } catch (SQLException e) {
      assertThat(e.getErrorCode()).isEqualTo(1213);
    }
    assertThat(deadlocks.count()).isOne();
  }

  @Test
  void deadlock_afterWhichATransactionRunsAgain_isCounted(QueueDatabase database) {
    AtomicBoolean first = new AtomicBoolean(true);
    Transactions transactions =
        new Transactions(
            database.dataSource(), Transactions.on(database.dataSource()).dialect(), deadlocks);
    int run =
        transactions.run(
            Transition.CLAIM,
            tx -> {
              tx.dsl().execute(first.getAndSet(false) ? DEADLOCK : "DO 0");
              return 1;
            });
    assertThat(run).isOne();
    assertThat(deadlocks.count()).isOne();
  }
}
