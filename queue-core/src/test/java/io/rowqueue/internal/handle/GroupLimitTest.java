package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class GroupLimitTest {

  /** What groups end after, in milliseconds. */
  private static final int GROUP = 10;

  private final GroupLimit limit = new GroupLimit();
  private final Deque<Object> running = new ArrayDeque<>();
  private long now = 1_000;

  /**
   * Runs groups for {@code longest} with as many threads as the limit allows, up to {@code
   * threads}; {@code rate} is what so many threads handle together, in messages per millisecond.
   */
  private void run(Duration longest, int threads, IntToDoubleFunction rate) {
    long end = now + longest.toNanos();
    while (now < end) {
      while (running.size() < Math.min(limit.threads(now), threads)) {
        Object thread = new Object();
        running.add(thread);
        limit.begin(thread, now);
      }
      int atOnce = running.size();
      now += GROUP * 1_000_000L / atOnce;
      int messages = (int) (GROUP * rate.applyAsDouble(atOnce) / atOnce);
      limit.end(running.remove(), messages, now);
    }
  }

  private int threads() {
    running.forEach(limit::end);
    running.clear();
    return limit.threads(now);
  }

  @Test
  void threads_handlersOfTheProcessors_staysAtTheLeast() {
    run(Duration.ofMinutes(10), 16, threads -> 80);
    assertThat(threads()).isLessThanOrEqualTo(2 * GroupLimit.LEAST);
    run(GroupLimit.BETWEEN_TRIALS.dividedBy(2), 16, threads -> 80);
    assertThat(threads()).isEqualTo(GroupLimit.LEAST);
  }

  @Test
  void threads_workerThatBecomesFasterByItself_staysAtTheLeast() {
    long start = now;
    run(Duration.ofSeconds(20), 16, threads -> 80 * (1 + (now - start) / 1e9));
    assertThat(threads()).isEqualTo(GroupLimit.LEAST);
  }

  @Test
  void threads_handlersThatWait_growsToAllThreadsAndNotBeyond() {
    run(Duration.ofMinutes(10), 16, threads -> 10 * threads);
    assertThat(threads()).isBetween(16, 64);
  }

  @Test
  void threads_handlersThatWaitNoMore_shrinksAgain() {
    run(Duration.ofMinutes(10), 16, threads -> 10 * threads);
    run(Duration.ofMinutes(20), 16, threads -> 80);
    assertThat(threads()).isLessThanOrEqualTo(2 * GroupLimit.LEAST);
  }

  @Test
  void threads_someOverdue_othersMayTakeTheirPlace() {
    for (int i = 0; i < GroupLimit.LEAST; i++) {
      limit.begin(i, now);
    }
    assertThat(limit.threads(now)).isEqualTo(GroupLimit.LEAST);
    assertThat(limit.threads(now + GroupLimit.OVERDUE.toNanos() + 1))
        .isEqualTo(2 * GroupLimit.LEAST);
    limit.end(0);
    assertThat(limit.threads(now + GroupLimit.OVERDUE.toNanos() + 1)).isEqualTo(GroupLimit.LEAST);
  }
}
