package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.worker.internal.WorkerThreads.LoopFailures;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** What is said of a loop that fails. */
class LoopFailuresTest {

  private final Kept log = new Kept();
  private final DatabaseUnavailableException away =
      new DatabaseUnavailableException(
          "a read failed: SQL [select 1]", new SQLException("Link failure\n\nThe last packet"));
  private long nanos;
  private final LoopFailures trouble = new LoopFailures("reaping", log, () -> nanos);

  /** A log at the level INFO, which keeps what it is told. */
  @SuppressWarnings("serial") // nobody writes it anywhere
  private static final class Kept extends LegacyAbstractLogger {

    private final List<String> said = new ArrayList<>();
    private final List<@Nullable Throwable> traces = new ArrayList<>();

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String message,
        Object @Nullable [] arguments,
        @Nullable Throwable trace) {
      said.add(MessageFormatter.basicArrayFormat(message, arguments));
      traces.add(trace);
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }
  }

  @Test
  void failures_ofOneKind_areSaidOnceWithTheFirstLineOfTheirCause() {
    trouble.failed(away);
    trouble.failed(away);
    trouble.failed(away);
    assertThat(log.said)
        .containsExactly("loop reaping failed and continues with its next iteration: Link failure");
    assertThat(log.traces.get(0)).isNull();
  }

  @Test
  void end_isSaidOnce_andWhatFollowsIsNew() {
    trouble.succeeded();
    trouble.failed(away);
    trouble.failed(away);
    trouble.succeeded();
    trouble.succeeded();
    trouble.failed(away);
    assertThat(log.said)
        .containsExactly(
            "loop reaping failed and continues with its next iteration: Link failure",
            "loop reaping recovered after 2 failed iterations",
            "loop reaping failed and continues with its next iteration: Link failure");
  }

  @Test
  void failure_thatLasts_isSaidOnceMoreAMinute() {
    for (int second = 0; second <= 120; second++) {
      nanos = Duration.ofSeconds(second).toNanos();
      trouble.failed(away);
    }
    assertThat(log.said)
        .containsExactly(
            "loop reaping failed and continues with its next iteration: Link failure",
            "loop reaping still fails after 61 failed iterations: Link failure",
            "loop reaping still fails after 121 failed iterations: Link failure");
  }

  @Test
  void failure_ofAnotherKind_isSaid_andWithItsTraceIfNobodyForesawIt() {
    trouble.failed(away);
    trouble.failed(new IllegalStateException("a bug"));
    trouble.failed(new IllegalStateException("a bug"));
    assertThat(log.said)
        .containsExactly(
            "loop reaping failed and continues with its next iteration: Link failure",
            "loop reaping failed and continues with its next iteration: a bug");
    assertThat(log.traces.get(1)).hasMessage("a bug");
  }

  @Test
  void failures_ofTwoKindsByTurns_areSaidOnceEach() {
    for (int turn = 0; turn < 10; turn++) {
      trouble.failed(away);
      trouble.failed(new IllegalStateException("a bug"));
    }
    assertThat(log.said)
        .containsExactly(
            "loop reaping failed and continues with its next iteration: Link failure",
            "loop reaping failed and continues with its next iteration: a bug");
  }

  @Test
  void failure_withoutWords_isNamedByItsClass() {
    trouble.failed(new StackOverflowError());
    assertThat(log.said)
        .containsExactly(
            "loop reaping failed and continues with its next iteration:"
                + " java.lang.StackOverflowError");
  }
}
