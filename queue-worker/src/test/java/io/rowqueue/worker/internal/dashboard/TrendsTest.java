package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.depth.WorkCounter;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.dashboard.Trends.Figures;
import io.rowqueue.worker.internal.dashboard.Trends.Reading;
import io.rowqueue.worker.internal.dashboard.Trends.Span;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TrendsTest {

  /** The last complete minute is 11:58. */
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  /** The start of a minute of the last hour. */
  private static Instant at(int minute) {
    return NOW.minusSeconds(60L * (60 - minute));
  }

  private static Row row(int minute, String topic, @Nullable Count depth, WorkCounts work) {
    return new Row(at(minute), topic, 60L, depth, null, work);
  }

  private static Chart.Line line(Figures figures, String chart, String series) {
    return figures.charts().stream()
        .filter(one -> one.name().equals(chart))
        .flatMap(one -> one.lines().stream())
        .filter(one -> one.name().equals(series))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void depth_thatIsAnEstimate_isMarked() {
    List<Row> rows =
        List.of(
            row(57, "order", new Count(99, true), WorkCounts.none()),
            row(58, "order", new Count(4_987_654, false), WorkCounts.none()),
            row(58, Statistics.ALL, new Count(4_987_754, false), WorkCounts.none()));
    Figures order = Reading.of(Span.HOUR, rows, at(57), NOW).of("order");
    Chart.Line line = line(order, "Messages in the queue", "all states");
    assertThat(line.now()).isEqualTo("≈5,000,000");
    assertThat(line.pieces()).hasSize(1);
  }

  private static WorkCounts completed(int messages) {
    WorkCounter counter = new WorkCounter();
    for (int i = 0; i < messages; i++) {
      counter.settled(Outcome.ACKED);
      counter.handled(1_000_000_000);
    }
    return counter.unwritten();
  }

  private static List<Row> rows(int... minutes) {
    return IntStream.of(minutes)
        .boxed()
        .flatMap(
            minute ->
                Stream.of(
                    row(minute, "order", Count.NONE, completed(120)),
                    row(minute, Statistics.ALL, Count.NONE, WorkCounts.none())))
        .toList();
  }

  @Test
  void minutes_withoutAWorker_areGaps_andCountAsZero() {
    Reading reading = Reading.of(Span.HOUR, rows(51, 52, 57, 58), at(51), NOW);
    for (Figures figures : List.of(reading.all(), reading.of("order"))) {
      assertThat(figures.completed()).as("120 in 4 of 8 minutes").isEqualTo(1);
      assertThat(figures.failed()).isZero();
      assertThat(figures.busy()).isEqualTo(1);
      assertThat(figures.enqueued()).as("60 in 4 of 8 minutes").isEqualTo(0.5);
      for (Chart chart : figures.charts()) {
        for (Chart.Line line : chart.lines()) {
          assertThat(line.pieces().size()).as("%s, %s", chart.name(), line).isIn(0, 2);
        }
      }
      assertThat(line(figures, "Busy threads", "all workers").now()).isEqualTo("2");
    }
  }

  @Test
  void outage_thatLasts_isAGapUpToNow() {
    Figures ended = Reading.of(Span.HOUR, rows(51, 52), at(51), NOW).all();
    assertThat(ended.points()).hasSize(8);
    assertThat(ended.completed()).isEqualTo(0.5);
    assertThat(ended.points().lastKey()).isEqualTo(at(58));
    assertThat(line(ended, "Messages per second", "completed").now()).isEqualTo("–");
    assertThat(ended.enqueued()).as("of the minutes before the outage").isEqualTo(1);
    Figures longer = Reading.of(Span.HOUR, List.of(), at(0).minusSeconds(3_600), NOW).all();
    assertThat(longer.completed()).isZero();
    assertThat(longer.points()).as("the whole hour but the minute under way").hasSize(59);
  }

  @Test
  void minutes_beforeTheFirstRow_areNoOutage() {
    Figures young = Reading.of(Span.HOUR, rows(57, 58), at(57), NOW).all();
    assertThat(young.completed()).isEqualTo(2);
    assertThat(young.points()).hasSize(2);
    assertThat(Reading.of(Span.HOUR, rows(59), at(59), NOW).all().points()).hasSize(1);
    assertThat(Reading.of(Span.HOUR, List.of(), null, NOW).all().points()).isEmpty();
  }
}
