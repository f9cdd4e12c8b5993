package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.TimeMeter;
import io.rowqueue.MessageId;
import io.rowqueue.worker.internal.cli.Sweep.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SweepTest {

  private final Deed deed = new Deed(1_000);
  private final List<Long> reported = new ArrayList<>();
  private final Progress progress = (steps, messages) -> reported.add(steps);

  private long sweep(long limit) {
    return new Sweep<>(deed.deed(), Pace.unlimited(), progress, new ShutdownReport()).run(limit);
  }

  @Test
  void run_withoutALimit_changesAllInPages() {
    assertThat(sweep(Long.MAX_VALUE)).isEqualTo(1_000);
    assertThat(deed.dead).isEmpty();
    assertThat(deed.pages).containsExactly(200, 200, 200, 200, 200);
    assertThat(reported).containsExactly(200L, 400L, 600L, 800L, 1_000L);
  }

  @Test
  void run_limit_isKeptToTheLastOne() {
    assertThat(sweep(250)).isEqualTo(250);
    assertThat(deed.pages).containsExactly(200, 50);
    assertThat(deed.dead).hasSize(750);
  }

  @Test
  void run_someoneElseTookSome_countsOnlyItsOwnAndGoesOn() {
    deed.taken = 3;
    assertThat(sweep(Long.MAX_VALUE)).isEqualTo(1_000 - 5 * 3);
  }

  @Test
  void run_failure_saysHowManyAreDone() {
    deed.failAt = 3;
    assertThatThrownBy(() -> sweep(Long.MAX_VALUE))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("it broke; 400 dead letters before it were redriven; go on behind 1200")
        .extracting(failure -> ((CommandFailure) failure).exitCode())
        .isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
  }

  @Test
  void run_signal_endsItAndSaysHowManyAreDone() {
    ShutdownReport shutdown = new ShutdownReport();
    Progress signal = (steps, messages) -> shutdown.requested(text -> {});
    assertThatThrownBy(
            () -> new Sweep<>(deed.deed(), Pace.unlimited(), signal, shutdown).run(Long.MAX_VALUE))
        .hasMessage(
            "a signal has stopped it; 200 dead letters before it were redriven; go on behind"
                + " 600");
    assertThat(deed.pages).containsExactly(200);
  }

  @Test
  void run_rate_waitsSoLongInAll() {
    long[] nanos = {0};
    TimeMeter clock =
        new TimeMeter() {
          @Override
          public long currentTimeNanos() {
            return nanos[0];
          }

          @Override
          public boolean isWallClockBased() {
            return false;
          }
        };
    BlockingStrategy waiting = wait -> nanos[0] += wait;
    Pace pace = Pace.perSecond(100, clock, waiting);
    assertThat(new Sweep<>(deed.deed(), pace, progress, new ShutdownReport()).run(Long.MAX_VALUE))
        .isEqualTo(1_000);
    // The first ten are in the bucket already; the others come at a hundred a second.
    assertThat(nanos[0]).isEqualTo(9_900_000_000L);
    assertThat(deed.pages).hasSize(100).containsOnly(10);
  }

  @Test
  void pace_ratesWithoutSense_areRefused() {
    assertThatThrownBy(() -> Pace.perSecond(0)).hasMessageContaining("--per-second");
    assertThatThrownBy(() -> Pace.perSecond(1_000_001)).hasMessageContaining("--per-second");
    assertThat(Pace.perSecond(3).atOnce(200)).isEqualTo(1);
    assertThat(Pace.perSecond(1_000_000).atOnce(200)).isEqualTo(200);
  }

  private static final class Deed {

    private final TreeSet<Long> dead = new TreeSet<>();
    private final List<Integer> pages = new ArrayList<>();
    private int taken;
    private int failAt;

    Deed(int count) {
      LongStream.rangeClosed(1, count).forEach(id -> dead.add(id * 3));
    }

    Sweep.Deed<MessageId> deed() {
      return new Sweep.Deed<>(
          this::page, this::apply, "dead letter", "redriven", after -> "go on behind " + after);
    }

    private List<MessageId> page(@Nullable MessageId after, int most) {
      return dead.tailSet(after == null ? 0 : after.value(), false).stream()
          .limit(most)
          .map(MessageId::new)
          .toList();
    }

    private int apply(List<MessageId> ids) {
      pages.add(ids.size());
      if (pages.size() == failAt) {
        throw new CommandFailure(ExitCodes.DATABASE_UNAVAILABLE, "it broke", null);
      }
      ids.forEach(id -> dead.remove(id.value()));
      return ids.size() - taken;
    }
  }
}
