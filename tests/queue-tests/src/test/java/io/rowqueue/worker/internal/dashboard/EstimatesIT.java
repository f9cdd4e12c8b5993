package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.JooqEstimates;
import io.rowqueue.internal.depth.JooqTableSize;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

@QueueTest
class EstimatesIT {

  /** Each of three estimates is rounded. */
  private static final Offset<Long> ROUNDED = Offset.offset(3L);

  private static final String FILL =
      """
      INSERT INTO queue_message (topic, state, payload)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000),
          m AS (SELECT 1 AS j UNION ALL SELECT j + 1 FROM m WHERE j < %3$d)
        SELECT '%1$s', %2$d, '{}' FROM n JOIN m\
      """;

  private final QueueDatabase database;
  private final Transactions transactions;

  EstimatesIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  private JooqTableSize size() {
    return Objects.requireNonNull(JooqTableSize.read(transactions));
  }

  private Map<String, TopicCounts> complete(long most, JooqTableSize size, String... topics) {
    Map<String, TopicCounts> counts =
        transactions.read(
            dsl -> QueueCounts.read(dsl, Set.of(topics), QueueCounts.Query.all(most)));
    return JooqEstimates.complete(transactions, counts, size);
  }

  @Test
  void counts_thatEndedEarly_areEstimated_andAddUpToTheTable() {
    database.execute(
        FILL.formatted("large", 0, 40),
        FILL.formatted("small", 0, 8),
        FILL.formatted("small", 2, 16),
        "INSERT INTO queue_message (topic, payload) VALUES ('tiny', '{}'), ('tiny', '{}')",
        "ANALYZE TABLE queue_message");
    JooqTableSize size = size();
    Map<String, TopicCounts> all = complete(1_000, size, "large", "small", "tiny");
    TopicCounts large = Objects.requireNonNull(all.get("large"));
    TopicCounts small = Objects.requireNonNull(all.get("small"));
    assertThat(large.available().isAll()).isFalse();
    assertThat(large.available().number()).isBetween(20_000L, 60_000L);
    assertThat(small.available().number()).isBetween(4_000L, 16_000L);
    assertThat(small.scheduled().number()).isBetween(8_000L, 32_000L);
    assertThat(small.inFlight()).isEqualTo(Count.NONE);
    assertThat(Objects.requireNonNull(all.get("tiny")).available()).isEqualTo(new Count(2, true));
    Count sum = all.values().stream().reduce(TopicCounts.NONE, TopicCounts::plus).depth();
    assertThat(sum.isAll()).isFalse();
    assertThat(sum.number()).isCloseTo(size.rows(), ROUNDED);
  }

  @Test
  void deadLetters_thatAreManyMore_areEstimated() {
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,
            reason, detail, worker, due_at, created_at, dead_at, payload)
          WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          SELECT 1000 * a.i + b.i, 'lost', 0, 1, 1, 0, 'attempts-exhausted', '', 'h', UTC_TIMESTAMP(6),
              UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '{}' FROM n a JOIN n b WHERE a.i <= 9\
        """,
        "ANALYZE TABLE queue_dead_letter");
    JooqTableSize size = size();
    TopicCounts lost = Objects.requireNonNull(complete(1_000, size, "lost").get("lost"));
    assertThat(lost.deadLetters().isAll()).isFalse();
    assertThat(lost.deadLetters().number())
        .isEqualTo(size.deadLetters())
        .isBetween(3_000L, 27_000L);
  }

  @Test
  void counts_thatAreExact_areKept() {
    database.execute("INSERT INTO queue_message (topic, payload) VALUES ('tiny', '{}')");
    Map<String, TopicCounts> all = complete(1_000, size(), "tiny");
    assertThat(all).containsOnlyKeys("tiny");
    assertThat(Objects.requireNonNull(all.get("tiny")).available()).isEqualTo(new Count(1, true));
  }
}
