package io.rowqueue.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which of many failures are logged. */
class RepeatedFailuresTest {

  private long nanos;
  private final RepeatedFailures failures = new RepeatedFailures(() -> nanos);

  private static Exception deadlock(int number) {
    return new IllegalStateException(new SQLException("deadlock " + number, "40001", 1213));
  }

  @Test
  void add_sameKind_isLoggedOnceAMinuteWithTheNumberOfTheOthers() {
    assertThat(failures.add("the claim", deadlock(1))).isEmpty();
    assertThat(failures.add("the claim", deadlock(2))).isNull();
    nanos = Duration.ofSeconds(59).toNanos();
    assertThat(failures.add("the claim", deadlock(3))).isNull();
    nanos = Duration.ofMinutes(1).toNanos();
    assertThat(failures.add("the claim", deadlock(4)))
        .isEqualTo(" (and 2 more since the last such line)");
    nanos = Duration.ofMinutes(2).toNanos();
    assertThat(failures.add("the claim", deadlock(5))).isEmpty();
  }

  @Test
  void add_otherSubjectOrKind_isLogged() {
    assertThat(failures.add("the claim", deadlock(1))).isEmpty();
    assertThat(failures.add("the ack", deadlock(1))).isEmpty();
    assertThat(failures.add("the claim", new SQLException("timeout", "HY000", 1205))).isEmpty();
    assertThat(failures.add("the claim", new IllegalStateException("closed"))).isEmpty();
    assertThat(failures.add("the claim", new IllegalStateException("closed again"))).isNull();
  }
}
