package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowqueue.internal.database.Transition;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class MeteredTransactionsTest {

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final MeteredTransactions metered = new MeteredTransactions(meters);

  private double count(String transition, String cause) {
    return meters
        .get("rowqueue.repetitions")
        .tags("transition", transition, "cause", cause)
        .counter()
        .count();
  }

  private static Exception wrapped(int errorCode) {
    return new IllegalStateException(
        new IllegalStateException(new SQLException("no", "40001", errorCode)));
  }

  @Test
  void repeated_countsByTransitionAndCause() {
    assertThat(count("claim", "deadlock")).as("shown before there is one").isZero();
    metered.repeated(Transition.CLAIM, wrapped(1213));
    metered.repeated(Transition.CLAIM, wrapped(1213));
    metered.repeated(Transition.CLAIM, wrapped(1205));
    metered.repeated(Transition.RELEASE_UNSTARTED, wrapped(1213));
    assertThat(count("claim", "deadlock")).isEqualTo(2);
    assertThat(count("claim", "lock-wait")).isEqualTo(1);
    assertThat(count("release-unstarted", "deadlock")).isEqualTo(1);
  }

  @Test
  void repeated_forAnythingElse_isOther() {
    metered.repeated(Transition.ACK, wrapped(1047));
    metered.repeated(Transition.ACK, new IllegalStateException("no error of the server"));
    assertThat(count("ack", "other")).isEqualTo(2);
  }
}
