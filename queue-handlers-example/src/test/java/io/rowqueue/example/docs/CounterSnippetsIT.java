package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QueueTest
class CounterSnippetsIT {

  @Test
  void budget_spentByMany_isNeverOverspent(QueueDatabase database) throws SQLException {
    DataSource dataSource = database.dataSource();
    // snippet: counter
    ShardedCounter counter = ShardedCounter.create(); // thread-safe; make one and keep it
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (counter.make(connection, "budget/ads", ShardedCounter.SLOTS)) { // unless it exists
        counter.add(connection, "budget/ads", 50_000);
      }
      boolean enough = counter.take(connection, "budget/ads", 1_200); // all of it, or nothing
      long rest = counter.takeUpTo(connection, "budget/ads", 80_000); // what there is
      connection.commit();
      // end snippet
      assertThat(enough).isTrue();
      assertThat(rest).isEqualTo(48_800);
      assertThat(counter.sum(connection, "budget/ads")).isZero();
    }
  }
}
