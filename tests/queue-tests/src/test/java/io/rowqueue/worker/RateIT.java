package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadVersion;
import io.rowqueue.Topic;
import io.rowqueue.internal.limit.LimitScene;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.RateBuckets.Drawn;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Overlap;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QueueTest
class RateIT extends LimitScene {

  private static final Topic TOPIC = new Topic("limited");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int WORKERS = 4;

  private final Overlap overlap = new Overlap();

  RateIT(QueueDatabase database) {
    super(database, TOPIC);
  }

  private Module handler() {
    return Handlers.bind(TOPIC.name(), (order, context) -> overlap.handle(Duration.ZERO));
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "5, 10", "50, 100", "500, 1000"})
  void fourWorkers_keepTheRateInEverySecond_andReachIt(int perSecond, int count) {
    topics.change(TOPIC, set -> set.withMaxPerSecond(perSecond));
    enqueue(count);
    start(WORKERS, 4, handler());
    Await.that("all are handled", SOON, () -> overlap.ended() == count);
    int burst = RateBuckets.burst(perSecond);
    assertThat(overlap.mostBegunWithin(SECOND))
        .isLessThanOrEqualTo(perSecond + burst + WORKERS * burst);
    List<Long> begun = overlap.begunNanos();
    Duration took = Duration.ofNanos(begun.get(count - 1) - begun.get(0));
    Duration least = SECOND.multipliedBy(count - burst).dividedBy(perSecond);
    assertThat(took)
        .isGreaterThan(least.multipliedBy(9).dividedBy(10).minusMillis(200))
        .isLessThan(within(least.multipliedBy(3).dividedBy(2).plus(SECOND)));
  }

  @Test
  void rate_changedUnderLoad_isHeeded() {
    topics.change(TOPIC, set -> set.withMaxPerSecond(1));
    enqueue(3_000);
    start(WORKERS, 4, handler());
    Await.that("a few", SOON, () -> overlap.ended() >= 2);
    assertThat(overlap.ended()).as("within less than a minute").isLessThan(60);
    topics.change(TOPIC, set -> set.withMaxPerSecond(null));
    Await.that("a thousand", within(Duration.ofSeconds(6)), () -> overlap.ended() > 1_000);
    drain();
  }

  @Test
  void draw_neverTakesMoreThanThereIs() {
    RateBuckets buckets = parts().get(RateBuckets.class);
    assertThat(buckets.draw(TOPIC, 100, 100)).isEqualTo(new Drawn(10, Duration.ZERO));
    Drawn empty = buckets.draw(TOPIC, 100, 1);
    assertThat(empty.messages()).isZero();
    assertThat(empty.pause()).isBetween(Duration.ofMillis(500), SECOND);
    database.execute("UPDATE queue_rate SET filled_at = filled_at - INTERVAL 1 YEAR");
    assertThat(buckets.draw(TOPIC, 3, 1_000_000).messages()).isEqualTo(3);
    assertThat(database.count("SELECT FLOOR(tokens) FROM queue_rate")).isEqualTo(99_997);
    // Another node's clock is ahead.
    database.execute("UPDATE queue_rate SET filled_at = UTC_TIMESTAMP(6) + INTERVAL 9 SECOND");
    assertThat(buckets.draw(TOPIC, 1, 100).messages()).isEqualTo(1);
    assertThat(database.count("SELECT filled_at > UTC_TIMESTAMP(6) FROM queue_rate")).isOne();
  }

  @Test
  void bucketThatWasFilledByAClockThatWasAhead_beginsAnew() {
    RateBuckets buckets = parts().get(RateBuckets.class);
    assertThat(buckets.draw(TOPIC, 100, 100).messages()).isEqualTo(10);
    database.execute("UPDATE queue_rate SET filled_at = UTC_TIMESTAMP(6) + INTERVAL 2 HOUR");
    assertThat(buckets.draw(TOPIC, 4, 100).messages()).isEqualTo(4);
    assertThat(database.count("SELECT filled_at > UTC_TIMESTAMP(6) FROM queue_rate")).isZero();
    assertThat(database.count("SELECT FLOOR(tokens) FROM queue_rate")).isEqualTo(6);
  }

  /** Of a version that the handler's type does not have. */
  @PayloadVersion(2)
  record NewOrder(int number, String channel) {}

  @Test
  void unreadableMessages_spendNothingOfTheRate() {
    topics.change(TOPIC, set -> set.withMaxPerSecond(2));
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, 200)
                .mapToObj(number -> NewMessage.of(TOPIC.name(), new NewOrder(number, "shop")))
                .toList());
    enqueue(3);
    start(1, 4, handler());
    // Had each of the two hundred spent its share, they alone would have taken a hundred seconds.
    Await.that("those behind them", SOON, () -> overlap.ended() == 3);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_message", 200, SOON);
  }
}
