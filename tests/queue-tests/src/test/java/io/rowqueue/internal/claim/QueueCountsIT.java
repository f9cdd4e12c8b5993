package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.Figure;
import io.rowqueue.internal.claim.QueueCounts.Query;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.internal.observe.StatusReader;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class QueueCountsIT {

  private static final Duration HOUR = Duration.ofHours(1);

  private final QueueDatabase database;
  private final Transactions transactions;

  QueueCountsIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  @BeforeEach
  void insertMessages() {
    database.execute("DELETE FROM queue_message", "DELETE FROM queue_dead_letter");
  }

  private void insert(String topic, int state, int priority, int messages, Duration age) {
    String row =
        "('%s', %d, %d, UTC_TIMESTAMP(6) - INTERVAL %d SECOND, UTC_TIMESTAMP(6) - INTERVAL %d"
            + " SECOND, NULL, '1')";
    database.execute(
        "INSERT INTO queue_message (topic, state, priority, due_at, created_at, headers, payload)"
            + " VALUES "
            + IntStream.range(0, messages)
                .mapToObj(
                    any -> row.formatted(topic, state, priority, age.toSeconds(), age.toSeconds()))
                .collect(Collectors.joining(", ")));
  }

  private Map<String, TopicCounts> read(Query query, String... topics) {
    return transactions.read(dsl -> QueueCounts.read(dsl, List.of(topics), query));
  }

  private TopicCounts one(Query query, String topic) {
    return Objects.requireNonNull(read(query, topic).get(topic));
  }

  private static long minutes(@Nullable Duration oldest) {
    return Objects.requireNonNull(oldest).toMinutes();
  }

  private void insertEachState() {
    insert("some", MessageState.AVAILABLE, 0, 7, Duration.ZERO);
    insert("some", MessageState.SCHEDULED, 0, 4, HOUR.negated());
    insert("some", MessageState.BLOCKED, 0, 2, Duration.ZERO);
    insert("some", MessageState.ARRIVING, 0, 1, Duration.ZERO);
    insert("other", MessageState.CLAIMED, 0, 5, Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(longs = {100, QueueCounts.MOST, QueueCounts.UNLIMITED})
  void counts_areByTopicAndState_andOfAnUnknownTopicZero(long most) {
    insertEachState();
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          worker, due_at, created_at, dead_at, payload)
          VALUES (1, 'other', 0, 1, 1, 0, 'claims-lost', '', 'h-1-x',
            UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '1')\
        """);
    TopicCounts some = one(Query.all(most), "some");
    assertThat(some.available()).isEqualTo(new Count(7, true));
    assertThat(some.scheduled()).isEqualTo(new Count(4, true));
    assertThat(some.blocked()).isEqualTo(new Count(3, true));
    TopicCounts other = one(Query.all(most), "other");
    assertThat(other.inFlight()).isEqualTo(new Count(5, true));
    assertThat(other.deadLetters()).isEqualTo(new Count(1, true));
    assertThat(one(Query.all(most), "none")).isEqualTo(TopicCounts.NONE);
  }

  @Test
  void count_thatReachesItsLimit_isALowerBound() {
    insertEachState();
    TopicCounts some = one(Query.all(7), "some");
    assertThat(some.available()).isEqualTo(new Count(7, false));
    assertThat(some.depth()).isEqualTo(new Count(14, false));
    assertThat(one(Query.all(8), "some").available()).isEqualTo(new Count(7, true));
  }

  @Test
  void status_agreesWithBoundedCounts() {
    insertEachState();
    insert("some", MessageState.AVAILABLE, 3, 1, HOUR);
    TopicStatus status =
        new StatusReader(transactions)
            .read().topics().stream()
                .filter(one -> one.topic().equals("some"))
                .findFirst()
                .orElseThrow();
    TopicCounts counts = one(Query.all(QueueCounts.MOST), "some");
    assertThat(status.available()).isEqualTo(counts.available().number()).isEqualTo(8);
    assertThat(status.blocked()).isEqualTo(counts.blocked().number()).isEqualTo(3);
    assertThat(minutes(status.oldestAvailable())).isEqualTo(minutes(counts.oldest())).isEqualTo(60);
  }

  /** More messages of the first priority than one statement examines. */
  @Test
  void oldest_ofALaterPriority_isFound() {
    insert("some", MessageState.AVAILABLE, 0, 25, Duration.ZERO);
    insert("some", MessageState.AVAILABLE, 4, 25, Duration.ofMinutes(10));
    insert("some", MessageState.AVAILABLE, 9, 1, HOUR);
    assertThat(minutes(one(Query.all(QueueCounts.MOST), "some").oldest())).isEqualTo(60);
    assertThat(minutes(one(Query.all(100), "some").oldest())).as("a short count").isEqualTo(60);
  }

  @Test
  void oldest_behindARetry_isFoundWithoutALowLimit() {
    insert("some", MessageState.AVAILABLE, 0, 1, Duration.ZERO);
    insert("some", MessageState.AVAILABLE, 0, 1, HOUR);
    assertThat(minutes(one(Query.all(QueueCounts.MOST), "some").oldest())).isEqualTo(60);
    assertThat(minutes(one(Query.all(100), "some").oldest())).isZero();
  }

  @Test
  void available_belowAClaimersCursor_isNotRead() {
    insert("some", MessageState.AVAILABLE, 0, 3, HOUR);
    long last = database.count("SELECT MAX(id) FROM queue_message");
    insert("some", MessageState.AVAILABLE, 0, 2, Duration.ZERO);
    Query above =
        new Query(
            Set.of(Figure.AVAILABLE, Figure.OLDEST),
            topic -> new TreeMap<>(Map.of((byte) 0, last)),
            100);
    TopicCounts counts = one(above, "some");
    assertThat(counts.available()).isEqualTo(new Count(2, true));
    assertThat(counts.oldest()).isLessThan(HOUR);
  }

  @Test
  void topics_inMoreThanOneStatement_areAllRead() {
    String[] topics =
        IntStream.range(0, QueueCounts.AT_ONCE + 3)
            .mapToObj("topic-%d"::formatted)
            .toArray(String[]::new);
    for (String topic : topics) {
      insert(topic, MessageState.AVAILABLE, 0, 1, Duration.ZERO);
    }
    assertThat(read(Query.all(10), topics).values())
        .hasSize(topics.length)
        .allSatisfy(counts -> assertThat(counts.available().number()).isOne());
  }
}
