package io.rowqueue.internal.depth;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.depth.Statistics.Period;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.dispatch.CommitCounter;
import io.rowqueue.worker.internal.observe.ServerTime;
import io.rowqueue.worker.internal.observe.WorkStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class StatisticsIT {

  private static final Instant AT = Instant.parse("2026-01-01T10:21:05Z");
  private static final Claim CLAIM =
      new Claim(
          new MessageId(1),
          new Topic("order"),
          new LockId("w"),
          1,
          0,
          0,
          false,
          Instant.EPOCH,
          null,
          new Body(false, new byte[0], null, 0, 0));

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final QueueDatabase database;
  private final Statistics statistics;

  StatisticsIT(QueueDatabase database) {
    this.database = database;
    this.statistics = new Statistics(Transactions.on(database.dataSource()));
  }

  @BeforeEach
  void clean() {
    Orders.openBooks(database);
    database.execute("DELETE FROM queue_statistics", "DELETE FROM queue_message");
  }

  private static WorkCounts completed(int messages) {
    WorkCounter counter = new WorkCounter();
    for (int i = 0; i < messages; i++) {
      counter.settled(Outcome.ACKED);
      counter.handled(3_000_000);
      counter.pickedUp(Duration.ofMillis(40));
    }
    return counter.unwritten();
  }

  private List<Row> rows(Period period, String topic) {
    return statistics.read(period, Instant.EPOCH).stream()
        .filter(row -> row.topic().equals(topic))
        .toList();
  }

  private Row row(Period period, String topic) {
    List<Row> rows = rows(period, topic);
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  private void insert(String topic, int messages) {
    String row = "('" + topic + "', '1')";
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES "
            + String.join(", ", Collections.nCopies(messages, row)));
  }

  @Test
  void add_ofTwoWorkers_isTheirSumInEachPeriod() {
    statistics.add(Map.of("order", completed(3), "email", completed(1)), AT);
    statistics.add(Map.of("order", completed(4)), AT.plusSeconds(20));
    for (Period period : Period.values()) {
      Row order = row(period, "order");
      assertThat(order.work().completed()).isEqualTo(7);
      assertThat(order.work().handlingTime()).isEqualTo(Duration.ofMillis(21));
      assertThat(order.work().handling()[2]).isEqualTo(7);
      assertThat(order.work().pickup()[5]).isEqualTo(7);
      assertThat(row(period, "email").work().completed()).isEqualTo(1);
    }
  }

  /** What is written right after a minute has ended was done in it. */
  @Test
  void add_startsARowInTheMinuteBefore() {
    statistics.add(Map.of("order", completed(1)), AT);
    assertThat(row(Period.MINUTE, "order").startsAt())
        .isEqualTo(Instant.parse("2026-01-01T10:20:00Z"));
    assertThat(row(Period.TEN_MINUTES, "order").startsAt())
        .isEqualTo(Instant.parse("2026-01-01T10:20:00Z"));
    assertThat(row(Period.HOUR, "order").startsAt())
        .isEqualTo(Instant.parse("2026-01-01T10:00:00Z"));
  }

  @Test
  void sample_isTakenByOneWorkerAMinute() {
    assertThat(statistics.sample(AT)).isTrue();
    assertThat(statistics.sample(AT.plusSeconds(2))).isFalse();
    assertThat(statistics.sample(AT.plus(MINUTE))).isTrue();
  }

  @Test
  void enqueued_isDerivedFromTheDepthAndTheWork_andOfAllTopicsFromTheIds() {
    insert("order", 5);
    statistics.sample(AT);
    assertThat(row(Period.MINUTE, "order").enqueued()).as("before the first sample").isNull();
    database.execute("DELETE FROM queue_message ORDER BY id LIMIT 4");
    insert("order", 10);
    insert("email", 2);
    statistics.add(Map.of("order", completed(4)), AT.plus(MINUTE));
    statistics.sample(AT.plus(MINUTE));
    Row order = rows(Period.MINUTE, "order").get(1);
    assertThat(order.enqueued()).isEqualTo(10);
    assertThat(order.depth()).isEqualTo(new Count(11, true));
    assertThat(order.oldest()).isNotNull();
    assertThat(row(Period.MINUTE, "email").enqueued()).isEqualTo(2);
    Row all = rows(Period.MINUTE, "").get(1);
    assertThat(all.topic()).isEqualTo(Statistics.ALL);
    assertThat(all.enqueued()).isEqualTo(12);
    assertThat(all.depth()).isEqualTo(new Count(13, true));
    assertThat(all.oldest()).isEqualTo(order.oldest());
    assertThat(row(Period.HOUR, "order").depth()).isEqualTo(new Count(11, true));
  }

  @Test
  void enqueued_ofATopicThatIsDrained_isWhatCompleted() {
    statistics.sample(AT);
    statistics.add(Map.of("order", completed(6)), AT.plus(MINUTE));
    statistics.sample(AT.plus(MINUTE));
    assertThat(row(Period.MINUTE, "order").enqueued()).isEqualTo(6);
    assertThat(row(Period.MINUTE, "order").depth()).isEqualTo(Count.NONE);
  }

  /** With more messages than a sample counts, the new ones are counted, in a sample if many. */
  @Test
  void enqueued_ofATopicWithTooManyToCount_isWhatWasAddedAndIsThere() {
    Statistics some = new Statistics(Transactions.on(database.dataSource()), 20);
    insert("order", 30);
    insert("email", 2);
    some.sample(AT);
    insert("order", 15_000);
    insert("email", 5_000);
    database.execute("ANALYZE TABLE queue_message");
    some.sample(AT.plus(MINUTE));
    Row order = rows(Period.MINUTE, "order").get(1);
    assertThat(order.enqueued()).isEqualTo(10_000);
    Row email = rows(Period.MINUTE, "email").get(1);
    assertThat(email.enqueued()).isEqualTo(10_000);
    Row all = rows(Period.MINUTE, "").get(1);
    assertThat(all.enqueued()).isEqualTo(20_000);
    long estimate = estimate(all);
    assertThat(estimate).isBetween(5_000L, 40_000L);
    assertThat(estimate(order) + estimate(email)).isBetween(estimate - 2, estimate + 2);
    assertThat(estimate(order)).isGreaterThan(estimate(email));
    some.sample(AT.plus(MINUTE.multipliedBy(2)));
    assertThat(rows(Period.MINUTE, "order").get(2).enqueued())
        .as("not the difference of two estimates")
        .isZero();
  }

  private static long estimate(Row row) {
    Count depth = Objects.requireNonNull(row.depth());
    assertThat(depth.isAll()).isFalse();
    return depth.number();
  }

  @Test
  void enqueued_afterAnHourWithoutASample_isUnknown() {
    statistics.sample(AT);
    insert("order", 1);
    statistics.sample(AT.plus(Duration.ofHours(2)));
    assertThat(row(Period.MINUTE, "order").enqueued()).isNull();
  }

  @Test
  void prune_deletesWhatHasExpired_andKeepsHoursForEightDays() {
    Instant now = statistics.now();
    statistics.add(Map.of("order", completed(1)), now);
    statistics.add(Map.of("order", completed(1)), now.minus(Duration.ofDays(2)));
    statistics.add(Map.of("order", completed(1)), now.minus(Duration.ofDays(9)));
    assertThat(statistics.prune(100)).isEqualTo(4);
    assertThat(rows(Period.MINUTE, "order")).hasSize(1);
    assertThat(rows(Period.HOUR, "order")).hasSize(2);
    assertThat(statistics.prune(100)).isZero();
  }

  @Test
  void worker_countsItsOutcomes_andWritesThemBeforeItEnds() {
    for (int number = 0; number < 6; number++) {
      Orders.enqueue(database, number);
    }
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              if (order.number() == 0) {
                throw new PermanentFailure("never");
              }
              Orders.write(order, context);
            })) {
      Orders.awaitNoneLeft(database);
    }
    assertThat(row(Period.HOUR, "order").work().completed()).isEqualTo(5);
    assertThat(row(Period.HOUR, "order").work().deadLettered()).isEqualTo(1);
    assertThat(row(Period.HOUR, "order").work().failed()).isEqualTo(1);
    assertThat(java.util.Arrays.stream(row(Period.HOUR, "order").work().handling()).sum())
        .isEqualTo(6);
  }

  /** Neither a statement a message, nor one a second. */
  @Test
  void worker_thatDrains_writesNoStatisticsForIt() {
    Orders.enqueueAll(database, 500);
    CommitCounter writes = new CommitCounter(Transition.RECORD_STATISTICS);
    try (TestWorker worker =
        TestWorker.start(
            database, config -> config, writes, Handlers.bind("order", Orders::write))) {
      Orders.awaitNoneLeft(database);
    }
    // A flush and a sample of two writes for each of two minutes, and the flush at the end.
    assertThat(writes.count()).isBetween(1, 7);
    assertThat(row(Period.HOUR, "order").work().completed()).isEqualTo(500);
  }

  @Test
  void flush_thatFails_isMadeUpForByTheNext() {
    Transactions transactions = Transactions.on(database.dataSource());
    WorkStatistics work = new WorkStatistics(() -> statistics, new ServerTime(() -> transactions));
    work.settled(CLAIM, Outcome.RETRIED);
    database.execute("RENAME TABLE queue_statistics TO queue_statistics_away");
    try {
      work.flush();
    } finally {
      database.execute("RENAME TABLE queue_statistics_away TO queue_statistics");
    }
    work.settled(CLAIM, Outcome.ACKED);
    work.flush();
    work.flush();
    assertThat(row(Period.HOUR, "order").work().retried()).isEqualTo(1);
    assertThat(row(Period.HOUR, "order").work().completed()).isEqualTo(1);
  }

  @Test
  void turn_writesOnceAMinute_andSamplesLaterInIt() {
    Transactions transactions = Transactions.on(database.dataSource());
    WorkStatistics work = new WorkStatistics(() -> statistics, new ServerTime(() -> transactions));
    long minute = 60_000L * 1_000;
    work.turn(minute);
    assertThat(database.count("SELECT COUNT(*) FROM queue_statistics")).isZero();
    work.settled(CLAIM, Outcome.ACKED);
    work.turn(minute + 4_000);
    assertThat(database.count("SELECT COUNT(*) FROM queue_statistics")).isZero();
    work.turn(minute + 5_000);
    assertThat(rows(Period.MINUTE, "")).hasSize(1);
    work.turn(minute + 60_000);
    assertThat(row(Period.HOUR, "order").work().completed()).isEqualTo(1);
  }
}
