package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How fast the queue moves, by what was read of it and when. */
class RatesTest {

  private static final Rates NOTHING = Rates.UNKNOWN;

  private final List<Board.Sample> samples = new ArrayList<>();

  /** What was read at a time; by default nothing has happened yet. */
  private record Read(double seconds, long nextId, long available, long handled, long failed) {

    static Read at(double seconds) {
      return new Read(seconds, 1, 0, 0, 0);
    }

    Read nextId(long value) {
      return new Read(seconds, value, available, handled, failed);
    }

    Read available(long value) {
      return new Read(seconds, nextId, value, handled, failed);
    }

    Read handled(long value, long ofThemFailed) {
      return new Read(seconds, nextId, available, value, ofThemFailed);
    }

    Board.Sample sample(@Nullable JooqIds ids) {
      Count waiting = Count.upTo(TopicAccess.MOST, available);
      TopicCounts counts =
          new TopicCounts(waiting, Count.NONE, Count.NONE, Count.NONE, Count.NONE, null);
      return new Board.Sample(
          new Board.Reading(
              (long) (seconds * 1e9),
              ids,
              Map.of("order", counts),
              Map.of(),
              List.of(),
              TopicAccess.MOST,
              0),
          handled,
          failed);
    }
  }

  private RatesTest read(Read read) {
    return read(read, 1);
  }

  private RatesTest read(Read read, int step) {
    samples.add(read.sample(new JooqIds(read.nextId, step, 0, Instant.EPOCH)));
    return this;
  }

  private Rates now() {
    return Rates.now(samples);
  }

  @Test
  void now_ofNoReading_isUnknown() {
    assertThat(now()).isEqualTo(NOTHING);
    assertThat(Rates.all(samples)).isEmpty();
  }

  @Test
  void now_ofOneReading_isUnknown() {
    read(Read.at(100).nextId(1_000).handled(70, 3));
    assertThat(now()).isEqualTo(NOTHING);
    assertThat(Rates.all(samples)).isEmpty();
  }

  @Test
  void now_ofTwoReadings_isWhatHappenedBetweenThem() {
    read(Read.at(100).nextId(1_000).available(40).handled(70, 3));
    read(Read.at(102).nextId(1_100).available(50).handled(90, 4));
    assertThat(now()).isEqualTo(new Rates(50, 45, 10, 0.5));
    assertThat(Rates.all(samples)).containsExactly(new Rates(50, 45, 10, 0.5));
  }

  /** Where each of several servers gives every third id. */
  @Test
  void now_ofIdsThatGrowByThree_countsMessages() {
    read(Read.at(100).nextId(1), 3);
    read(Read.at(110).nextId(301), 3);
    assertThat(now().arrived()).isEqualTo(10);
  }

  @Test
  void now_ofManyReadings_isOverTheLastHalfMinute() {
    IntStream.rangeClosed(0, 50).forEach(i -> read(Read.at(2 * i).nextId(i < 35 ? 1 : 60 * i)));
    assertThat(now().arrived()).isEqualTo(30);
  }

  /** Nobody looked for minutes: the mean over them is all that is known. */
  @Test
  void now_afterALongTimeWithoutAReading_isTheMeanOverIt() {
    read(Read.at(0).nextId(1)).read(Read.at(600).nextId(601));
    assertThat(now().arrived()).isEqualTo(1);
  }

  /** An operator's change has the next look read anew, a few milliseconds later. */
  @Test
  void rates_ofReadingsRightBehindEachOther_areNoPeaks() {
    read(Read.at(100).nextId(1).handled(0, 0));
    read(Read.at(102).nextId(21).handled(20, 0));
    read(Read.at(102.001).nextId(31).handled(30, 0));
    assertThat(now().arrived()).isBetween(14.0, 16.0);
    assertThat(Rates.all(samples)).hasSize(2);
    assertThat(Rates.all(samples).get(1).arrived()).isBetween(14.0, 16.0);
    assertThat(Rates.all(samples).get(1).handled()).isBetween(14.0, 16.0);
  }

  @Test
  void rates_ofReadingsWithNoTimeBetweenThem_areUnknown() {
    read(Read.at(100).nextId(1)).read(Read.at(100).nextId(50).handled(9, 9));
    assertThat(now()).isEqualTo(NOTHING);
    assertThat(Rates.all(samples)).containsExactly(NOTHING);
  }

  @Test
  void rates_ofTimeThatGoesBackwards_areUnknown() {
    read(Read.at(100).nextId(1)).read(Read.at(90).nextId(50).handled(9, 9));
    assertThat(now()).isEqualTo(NOTHING);
    assertThat(Rates.all(samples)).containsExactly(NOTHING);
  }

  /** Ids start again when the table is made anew; a counter, with its process. */
  @Test
  void rates_ofCountersThatStartAgain_areUnknownAndNeverBelowZero() {
    read(Read.at(100).nextId(9_000).handled(500, 50)).read(Read.at(110).nextId(3).handled(2, 1));
    assertThat(now()).isEqualTo(NOTHING);
    read(Read.at(120).nextId(13).handled(22, 11));
    assertThat(Rates.all(samples).get(1)).isEqualTo(new Rates(1, 1, 2, 1));
  }

  /** The engine has forgotten the next id, or never knew it, and says NULL. */
  @Test
  void arrived_ofAnIdThatTheEngineDoesNotKnow_isUnknown() {
    read(Read.at(100).nextId(0)).read(Read.at(110).nextId(5_000_001).handled(10, 0));
    assertThat(now().arrived()).isNaN();
    assertThat(now().left()).isNaN();
    assertThat(now().handled()).isEqualTo(1);
  }

  @Test
  void arrived_ofATableThatTheAccountDoesNotSee_isUnknown() {
    samples.add(Read.at(100).sample(null));
    samples.add(Read.at(110).handled(10, 0).sample(null));
    assertThat(now().arrived()).isNaN();
    assertThat(now().handled()).isEqualTo(1);
  }

  @Test
  void left_ofCountsThatEndEarly_isUnknown() {
    read(Read.at(100).available(TopicAccess.MOST)).read(Read.at(110).nextId(11));
    assertThat(now().left()).isNaN();
    assertThat(now().arrived()).isEqualTo(1);
  }

  /** Redriven dead letters keep their ids. */
  @Test
  void left_whereMoreCameThanIdsTell_isNotBelowZero() {
    read(Read.at(100)).read(Read.at(110).available(500));
    assertThat(now().left()).isZero();
  }

  @Test
  void rates_ofHugeNumbers_areWhatTheyAre() {
    read(Read.at(100).nextId(Long.MAX_VALUE - 2_000_000_000L));
    read(Read.at(101).nextId(Long.MAX_VALUE).handled(Long.MAX_VALUE / 2, 0));
    assertThat(now().arrived()).isEqualTo(2e9);
    assertThat(now().handled()).isEqualTo(Long.MAX_VALUE / 2.0);
  }
}
