package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.TimeMeter;
import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.internal.cli.BulkChange.Pace;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BulkChangeTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Rows rows = new Rows(1_000);
  private final List<Long> reported = new ArrayList<>();
  private final Progress progress = (steps, messages) -> reported.add(steps);

  private long change(long limit) {
    return new BulkChange<>(rows.operation(), Pace.unlimited(), progress, new ShutdownReport())
        .run(limit);
  }

  @Test
  void run_withoutALimit_changesAllInPages() {
    assertThat(change(Long.MAX_VALUE)).isEqualTo(1_000);
    assertThat(rows.dead).isEmpty();
    assertThat(rows.pages).containsExactly(200, 200, 200, 200, 200);
    assertThat(reported).containsExactly(200L, 400L, 600L, 800L, 1_000L);
  }

  @Test
  void run_limit_isKeptToTheLastOne() {
    assertThat(change(250)).isEqualTo(250);
    assertThat(rows.pages).containsExactly(200, 50);
    assertThat(rows.dead).hasSize(750);
  }

  @Test
  void run_someoneElseTookSome_countsOnlyItsOwnAndGoesOn() {
    rows.taken = 3;
    assertThat(change(Long.MAX_VALUE)).isEqualTo(1_000 - 5 * 3);
  }

  @Test
  void run_rowsThatTheServerRefuses_changesAllOthersAndNamesThem() {
    rows.refused = Set.of(300L, 1_200L);
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(
            "998 dead letters were redriven; the server refused 2 dead letters, which are"
                + " unchanged: 300, 1200: not today")
        .extracting(failure -> ((CommandFailure) failure).exitCode())
        .isEqualTo(ExitCodes.FAILED);
    assertThat(rows.dead).containsExactly(300L, 1_200L);
  }

  @Test
  void run_allRefused_endsAfterTen() {
    rows.refused = Set.copyOf(rows.dead);
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .hasMessage(
            "not today; 0 dead letters before it were redriven; the server refused 10 dead letters,"
                + " which are unchanged: 3, 6, 9, 12, 15, 18, 21, 24, 27, 30: not today; continue"
                + " after 30");
    assertThat(rows.pages).filteredOn(size -> size == 1).hasSize(10);
  }

  /** Operators who continue would otherwise repeat the parts that are done. */
  @Test
  void run_failureInAPageThatIsChangedInParts_continuesAfterTheLastPart() {
    rows.refused = Set.of(300L);
    rows.failAt = 6;
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .hasMessage("it broke; 75 dead letters before it were redriven; continue after 225");
    assertThat(rows.dead.first()).isEqualTo(228);
  }

  /** They may have been changed. */
  @Test
  void run_commitOfUnknownOutcome_isNotRepeatedInParts() {
    rows.unknownAt = 2;
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .hasMessage(
            "killed; 200 dead letters before it were redriven, and of 200 more all or none;"
                + " continue after 600 or 1200");
    assertThat(rows.pages).containsExactly(200, 200);
  }

  /** Who continues after the last row would otherwise never hear of them. */
  @Test
  void run_failureAfterARefusal_namesWhatWasRefused() {
    rows.refused = Set.of(3L);
    rows.failAt = 17;
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .hasMessage(
            "it broke; 399 dead letters before it were redriven; the server refused 1 dead letter,"
                + " which is unchanged: 3: not today; continue after 1200");
  }

  @Test
  void run_signalAfterARefusal_namesWhatWasRefused() {
    rows.refused = Set.of(3L);
    ShutdownReport shutdown = new ShutdownReport();
    Progress signal = (steps, messages) -> shutdown.requested(text -> {});
    assertThatThrownBy(
            () ->
                new BulkChange<>(rows.operation(), Pace.unlimited(), signal, shutdown)
                    .run(Long.MAX_VALUE))
        .hasMessage(
            "a signal has stopped it; 199 dead letters before it were redriven; the server refused"
                + " 1 dead letter, which is unchanged: 3: not today; continue after 600");
  }

  @Test
  void run_failure_saysHowManyAreDone() {
    rows.failAt = 3;
    assertThatThrownBy(() -> change(Long.MAX_VALUE))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("it broke; 400 dead letters before it were redriven; continue after 1200")
        .extracting(failure -> ((CommandFailure) failure).exitCode())
        .isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
  }

  @Test
  void run_signal_endsItAndSaysHowManyAreDone() {
    ShutdownReport shutdown = new ShutdownReport();
    Progress signal = (steps, messages) -> shutdown.requested(text -> {});
    assertThatThrownBy(
            () ->
                new BulkChange<>(rows.operation(), Pace.unlimited(), signal, shutdown)
                    .run(Long.MAX_VALUE))
        .hasMessage(
            "a signal has stopped it; 200 dead letters before it were redriven; continue after"
                + " 600");
    assertThat(rows.pages).containsExactly(200);
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
    Pace pace = Pace.of(new Rate(100, SECOND), clock, waiting);
    assertThat(
            new BulkChange<>(rows.operation(), pace, progress, new ShutdownReport())
                .run(Long.MAX_VALUE))
        .isEqualTo(1_000);
    // The first ten are in the bucket already; the others come at a hundred a second.
    assertThat(nanos[0]).isEqualTo(9_900_000_000L);
    assertThat(rows.pages).hasSize(100).containsOnly(10);
  }

  @Test
  void pace_atOnce_isATenthOfASecondWithinAPage() {
    assertThat(Pace.of(new Rate(3, SECOND)).atOnce(200)).isEqualTo(1);
    assertThat(Pace.of(new Rate(50, Duration.ofHours(1))).atOnce(200)).isEqualTo(1);
    assertThat(Pace.of(new Rate(6_000, Duration.ofMinutes(1))).atOnce(200)).isEqualTo(10);
    assertThat(Pace.of(new Rate(999_999_999, SECOND)).atOnce(200)).isEqualTo(200);
  }

  private static final class Rows {

    private final TreeSet<Long> dead = new TreeSet<>();
    private final List<Integer> pages = new ArrayList<>();
    private int taken;
    private int failAt;
    private int unknownAt;
    private Set<Long> refused = Set.of();

    Rows(int count) {
      LongStream.rangeClosed(1, count).forEach(id -> dead.add(id * 3));
    }

    BulkChange.Operation<MessageId> operation() {
      return new BulkChange.Operation<>(
          this::page,
          this::apply,
          "dead letter",
          "redriven",
          (after, doubtful) ->
              "continue after " + after + (doubtful == null ? "" : " or " + doubtful));
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
        throw new CommandFailure(
            ExitCodes.DATABASE_UNAVAILABLE, "it broke", new SQLException("gone", "08S01"));
      }
      if (pages.size() == unknownAt) {
        throw new CommitOutcomeUnknownException(
            "killed", new SQLException("Query execution was interrupted", "70100", 1317));
      }
      if (ids.stream().anyMatch(id -> refused.contains(id.value()))) {
        throw new QueueException("not today", new SQLException("not today", "45000", 1644));
      }
      ids.forEach(id -> dead.remove(id.value()));
      return ids.size() - taken;
    }
  }
}
