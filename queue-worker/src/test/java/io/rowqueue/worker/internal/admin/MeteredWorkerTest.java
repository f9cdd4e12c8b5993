package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.internal.observe.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeteredWorkerTest {

  private static final Topic ORDER = new Topic("order");

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final MeteredWorker metered =
      new MeteredWorker(
          meters,
          new ServerTime(
              () -> {
                throw new AssertionError("no server is asked");
              }));

  private static Claim claim(Topic topic) {
    Body empty = new Body(true, new byte[0], null, 0, 0);
    LockId me = LockId.create("me", 1);
    return new Claim(new MessageId(1), topic, me, 1, 0, 0, false, Instant.EPOCH, null, empty);
  }

  private double count(String name, String... tags) {
    return meters.get(name).tags(tags).counter().count();
  }

  /** All that is counted under {@code name}, whatever its tags. */
  private double sum(String name) {
    return meters.get(name).counters().stream().mapToDouble(counter -> counter.count()).sum();
  }

  @ParameterizedTest
  @CsvSource({
    "ACKED, acked",
    "HANDLED, acked",
    "RETRIED, retried",
    "RELEASED, released",
    "UNHANDLED, unhandled",
    "UNREADABLE, unreadable",
    "CANCELLED, cancelled",
    "DEAD_LETTERED, dead-lettered",
    "LOST, lost",
    "GIVEN_UP, given-up",
    "ABANDONED, abandoned"
  })
  void settled_withAnOutcome_countsUnderItsWordAndNoOther(Outcome outcome, String word) {
    metered.settled(claim(ORDER), outcome);
    assertThat(count("rowqueue.settlements", "topic", "order", "outcome", word)).isEqualTo(1);
    assertThat(sum("rowqueue.settlements")).isEqualTo(1);
  }

  @Test
  void settled_ofTwoTopics_countsEachApart() {
    metered.settled(claim(ORDER), Outcome.RETRIED);
    metered.settled(claim(ORDER), Outcome.RETRIED);
    metered.settled(claim(new Topic("mail")), Outcome.RETRIED);
    assertThat(count("rowqueue.settlements", "topic", "order", "outcome", "retried")).isEqualTo(2);
    assertThat(count("rowqueue.settlements", "topic", "mail", "outcome", "retried")).isEqualTo(1);
  }

  @Test
  void claimed_countsMessagesAndNotClaims() {
    metered.claimed(ORDER, Collections.nCopies(3, claim(ORDER)), Duration.ZERO);
    metered.claimed(ORDER, List.of(), Duration.ZERO);
    metered.claimed(ORDER, Collections.nCopies(4, claim(ORDER)), Duration.ZERO);
    assertThat(count("rowqueue.claims", "topic", "order")).isEqualTo(7);
  }

  @Test
  void reaped_tellsTheFreedFromTheQuarantined() {
    metered.reaped(5, 2);
    metered.reaped(1, 0);
    assertThat(count("rowqueue.reaped", "end", "released")).isEqualTo(6);
    assertThat(count("rowqueue.reaped", "end", "quarantined")).isEqualTo(2);
  }

  @Test
  void declaredDead_countsPeers() {
    assertThat(count("rowqueue.workers.declared.dead")).isZero();
    metered.declaredDead(2);
    metered.declaredDead(1);
    assertThat(count("rowqueue.workers.declared.dead")).isEqualTo(3);
  }
}
