package io.rowqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class JooqTopicNamesIT {

  private final QueueDatabase database;
  private final Transactions transactions;

  JooqTopicNamesIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  @BeforeEach
  void insertMessages() {
    database.execute(
        "DELETE FROM queue_message",
        "INSERT INTO queue_message (topic, due_at, created_at, payload)"
            + " WITH RECURSIVE i (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 299)"
            + " SELECT CONCAT('topic-', n DIV 2), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1' FROM i");
  }

  private Set<String> names(int most, Set<String> likely) {
    return transactions.read(dsl -> JooqTopicNames.ofMessages(dsl, most, likely));
  }

  @Test
  void names_areTheSame_whateverIsLikely() {
    Set<String> names = names(1_000, Set.of());
    assertThat(names).hasSize(150).contains("topic-0", "topic-99", "topic-149");
    assertThat(names(1_000, names)).isEqualTo(names);
    assertThat(names(1_000, Set.of("a", "topic-3", "topic-3x", "z"))).isEqualTo(names);
  }

  @Test
  void names_areNoMoreThanRequested() {
    assertThat(names(2, Set.of())).containsExactly("topic-0", "topic-1");
    assertThat(names(2, Set.of("topic-98"))).hasSize(2);
  }
}
