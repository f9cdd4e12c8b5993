package io.rowqueue.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.claim.Body;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.Transaction;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.message.UnreadableException;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What cannot be read is given back for an hour of this worker's clock, each message by itself. */
class UnreadablesTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private final UnreadableException newer = new UnreadableException("version 3");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
  private final Unreadables unreadables = new Unreadables(new UnreadableSettings(HOUR, nanos::get));
  private final Settlements settlements = new Settlements();
  private final FailureSettlement failures = new FailureSettlement(settlements);

  private static Claim claim(long id) {
    Body body = new Body(true, new byte[0], null, 0, 0);
    return new Claim(
        new MessageId(id),
        new Topic("order.paid"),
        LockId.create("host", 1),
        1,
        0,
        0,
        false,
        Instant.EPOCH,
        body);
  }

  private String settle(long id) {
    assertThat(unreadables.settle(claim(id), failures, newer)).isEqualTo(Outcome.UNREADABLE);
    return settlements.told.get(settlements.told.size() - 1);
  }

  @Test
  void settle_forAnHour_givesBackAndThenSetsAside() {
    assertThat(settle(1)).isEqualTo("release 1 PT5S");
    nanos.addAndGet(HOUR.toNanos() - 1);
    assertThat(settle(1)).isEqualTo("release 1 PT5S");
    assertThat(settle(2)).isEqualTo("release 2 PT5S");
    nanos.incrementAndGet();
    assertThat(settle(1)).isEqualTo("unreadable 1");
    assertThat(settle(2)).as("began later").isEqualTo("release 2 PT5S");
    assertThat(settle(1)).as("redriven, it has another hour").isEqualTo("release 1 PT5S");
  }

  @Test
  void read_afterAll_beginsAnewTheNextTime() {
    unreadables.read(new MessageId(1));
    settle(1);
    unreadables.read(new MessageId(1));
    nanos.addAndGet(HOUR.toNanos());
    assertThat(settle(1)).isEqualTo("release 1 PT5S");
  }

  @Test
  void settle_claimThatWasLost_saysSo() {
    settlements.held = false;
    assertThatThrownBy(() -> unreadables.settle(claim(1), failures, newer))
        .isInstanceOf(ClaimLostException.class);
    nanos.addAndGet(HOUR.toNanos());
    assertThatThrownBy(() -> unreadables.settle(claim(1), failures, newer))
        .isInstanceOf(ClaimLostException.class);
  }

  @Test
  void memory_ofMoreThanItHolds_forgetsWhatWasNotSeenForLongest() {
    GivenBack memory = new GivenBack();
    for (long id = 1; id <= GivenBack.MOST; id++) {
      assertThat(memory.first(new MessageId(id), id)).isEqualTo(id);
    }
    assertThat(memory.first(new MessageId(1), 20_000)).as("seen again").isEqualTo(1);
    assertThat(memory.first(new MessageId(20_000), 20_000)).isEqualTo(20_000);
    assertThat(memory.size()).isEqualTo(GivenBack.MOST);
    assertThat(memory.first(new MessageId(1), 20_001)).isEqualTo(1);
    assertThat(memory.first(new MessageId(2), 20_001)).as("forgotten").isEqualTo(20_001);
  }

  /** Notes what it is told, and holds the claims or not. */
  private static final class Settlements implements Settler {

    private final List<String> told = new ArrayList<>();
    private boolean held = true;

    @Override
    public boolean release(Claim claim, Duration delay) {
      told.add("release " + claim.id() + " " + delay);
      return held;
    }

    @Override
    public boolean deadLetter(Claim claim, DeadLetterReason reason, AttemptError error) {
      told.add(reason.label() + " " + claim.id());
      return held;
    }

    @Override
    public void ack(Transaction transaction, Claim claim) {
      throw new AssertionError("not acked");
    }

    @Override
    public void ackAll(Transaction transaction, Collection<Claim> claims) {
      throw new AssertionError("not acked");
    }

    @Override
    public int ackAll(Collection<Claim> claims) {
      throw new AssertionError("not acked");
    }

    @Override
    public boolean retry(Claim claim, AttemptError error, Duration backoff) {
      throw new AssertionError("not a failed attempt");
    }

    @Override
    public int releaseAll(Collection<Claim> claims) {
      throw new AssertionError("one by one");
    }
  }
}
