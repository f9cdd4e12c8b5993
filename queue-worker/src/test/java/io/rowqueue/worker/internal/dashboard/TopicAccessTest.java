package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TopicAccessTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final long SLOW = Duration.ofMillis(1_501).toNanos();
  private static final long MEDIUM = Duration.ofMillis(700).toNanos();
  private static final long QUICK = Duration.ofMillis(149).toNanos();

  private final QueueException tookTooLong = failure(3024);
  private final QueueException gone = failure(1053);

  private final AtomicLong clock = new AtomicLong();
  private final TopicAccess reach = new TopicAccess(TIMEOUT, clock::get);

  private static QueueException failure(int code) {
    return new DatabaseUnavailableException("", new SQLException("", "HY000", code));
  }

  /** A look that takes {@code nanos}; says how far it counted. */
  private int poll(long nanos) {
    int counted =
        reach.count(
            most -> {
              clock.addAndGet(nanos);
              return most;
            });
    assertThat(reach.used()).isEqualTo(counted);
    return counted;
  }

  @Test
  void looks_thatAreQuick_goAsFarAsEver() {
    assertThat(poll(QUICK)).isEqualTo(TopicAccess.MOST);
    assertThat(poll(QUICK)).isEqualTo(TopicAccess.MOST);
  }

  @Test
  void looks_thatAreSlow_goLessFarEachTime_andNeverLessThanTheLeast() {
    assertThat(poll(SLOW)).isEqualTo(100_000);
    assertThat(poll(SLOW)).isEqualTo(10_000);
    assertThat(poll(SLOW)).isEqualTo(TopicAccess.LEAST);
    assertThat(poll(SLOW)).isEqualTo(TopicAccess.LEAST);
  }

  @Test
  void looks_thatAreQuickAgain_goFurther() {
    poll(SLOW);
    poll(SLOW);
    assertThat(poll(QUICK)).isEqualTo(1_000);
    assertThat(poll(QUICK)).isEqualTo(10_000);
    assertThat(poll(QUICK)).isEqualTo(100_000);
  }

  /** Ten times as far would be ten times as long. */
  @Test
  void looks_thatAreNeither_stayWhereTheyAre() {
    assertThat(poll(MEDIUM)).isEqualTo(100_000);
    assertThat(poll(SLOW)).isEqualTo(100_000);
    assertThat(poll(MEDIUM)).isEqualTo(10_000);
    assertThat(poll(MEDIUM)).isEqualTo(10_000);
  }

  @Test
  void count_thatTheServerEnds_isTheShortestAtOnce() {
    List<Integer> tried = new ArrayList<>();
    int counted = reach.count(most -> countedUpTo(TopicAccess.LEAST, most, tried, tookTooLong));
    assertThat(counted).isEqualTo(TopicAccess.LEAST);
    assertThat(tried).containsExactly(100_000, 1_000);
    assertThat(poll(MEDIUM)).as("it was quick, and the next goes further").isEqualTo(10_000);
  }

  @Test
  void count_thatTheServerEndsAtItsShortest_isGivenUp() {
    List<Integer> tried = new ArrayList<>();
    assertThatThrownBy(() -> reach.count(most -> countedUpTo(0, most, tried, tookTooLong)))
        .isSameAs(tookTooLong);
    assertThatThrownBy(() -> reach.count(most -> countedUpTo(0, most, tried, tookTooLong)))
        .isSameAs(tookTooLong);
    assertThat(tried).containsExactly(100_000, 1_000, 1_000);
  }

  @Test
  void count_thatFailsForAnotherReason_isNotRepeated() {
    List<Integer> tried = new ArrayList<>();
    assertThatThrownBy(() -> reach.count(most -> countedUpTo(0, most, tried, gone))).isSameAs(gone);
    assertThat(tried).containsExactly(100_000);
  }

  private static int countedUpTo(
      int possible, int most, List<Integer> tried, QueueException failure) {
    tried.add(most);
    if (most > possible) {
      throw failure;
    }
    return most;
  }
}
