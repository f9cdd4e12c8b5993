package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.depth.JooqTableSize;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CountLimitTest {

  private static final Duration TIME = Duration.ofMillis(100);
  private static final int FAST = 500;
  private static final int SLOW = 5_000;

  private final QueueException timeout = failure(3024);
  private final AtomicLong clock = new AtomicLong();
  private final CountLimit limit = new CountLimit(TIME, clock::get);
  private final List<Integer> tried = new ArrayList<>();

  private static QueueException failure(int code) {
    return new DatabaseUnavailableException("", new SQLException("", "HY000", code));
  }

  private static JooqTableSize size(long rows) {
    return new JooqTableSize(rows, 0, Instant.EPOCH);
  }

  /** Counts topics of {@code each} messages at a cost by message; returns the limit. */
  private int count(int topics, long each, @Nullable JooqTableSize size, int nanosPerMessage) {
    limit.count(topics, size, most -> counted(topics, each, most, nanosPerMessage));
    return limit.used();
  }

  private Map<String, TopicCounts> counted(int topics, long each, int most, int nanosPerMessage) {
    tried.add(most);
    Count found = Count.upTo(most, Math.min(each, most));
    clock.addAndGet(topics * (CountLimit.TOPIC_NANOS + found.number() * nanosPerMessage));
    TopicCounts one = new TopicCounts(found, Count.NONE, Count.NONE, Count.NONE, Count.NONE, null);
    return IntStream.range(0, topics)
        .boxed()
        .collect(Collectors.toMap(topic -> "topic-" + topic, topic -> one));
  }

  @Test
  void count_ofFewMessages_isExact() {
    assertThat(count(10, 0, size(0), FAST)).isEqualTo(CountLimit.MOST);
    assertThat(count(10, 9_000, size(90_000), FAST)).isEqualTo(CountLimit.MOST);
  }

  @Test
  void count_ofManyMessages_adaptsToTheServer() {
    assertThat(count(100, 50_000, size(5_000_000), FAST)).isEqualTo(500);
    assertThat(count(100, 50_000, size(5_000_000), SLOW)).isEqualTo(1_000);
    assertThat(count(100, 50_000, size(5_000_000), FAST)).isEqualTo(100);
    assertThat(count(100, 1_500, size(150_000), FAST)).isEqualTo(CountLimit.MOST);
  }

  @Test
  void count_ofVerySlowServer_isStillOfSomeMessages() {
    count(1_000, 50_000, size(50_000_000), 1_000_000);
    assertThat(count(1_000, 50_000, size(50_000_000), FAST)).isEqualTo(CountLimit.LEAST);
    assertThat(count(1, 50_000, null, FAST)).isEqualTo(CountLimit.MOST);
  }

  @Test
  void count_thatTheServerCancels_isRepeatedWithTheLowestLimit_andNextStartsLower() {
    JooqTableSize wrong = size(0);
    limit.count(
        1,
        wrong,
        most -> {
          Map<String, TopicCounts> counted = counted(1, 5_000_000, most, SLOW);
          if (most > CountLimit.LEAST) {
            throw timeout;
          }
          return counted;
        });
    assertThat(tried).containsExactly(CountLimit.MOST, CountLimit.LEAST);
    assertThat(count(1, 5_000_000, wrong, SLOW)).isEqualTo(10_000);
    assertThat(count(1, 5_000, wrong, SLOW)).isEqualTo(10_000);
    assertThat(count(1, 5_000, wrong, SLOW)).as("all were counted").isEqualTo(CountLimit.MOST);
  }

  @Test
  void count_thatTheServerCancelsAgain_fails() {
    assertFails(timeout, CountLimit.MOST, CountLimit.LEAST);
  }

  @Test
  void count_thatFailsForAnotherReason_isNotRepeated() {
    assertFails(failure(1053), CountLimit.MOST);
  }

  private void assertFails(QueueException failure, Integer... limits) {
    assertThatThrownBy(
            () ->
                limit.count(
                    1,
                    size(0),
                    most -> {
                      tried.add(most);
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(tried).containsExactly(limits);
  }
}
