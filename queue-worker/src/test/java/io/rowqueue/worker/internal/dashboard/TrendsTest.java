package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.dashboard.Trends.Figures;
import io.rowqueue.worker.internal.dashboard.Trends.Reading;
import io.rowqueue.worker.internal.dashboard.Trends.Span;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TrendsTest {

  /** The last complete minute is 11:58. */
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  private static Row row(int minute, String topic, @Nullable Count depth, WorkCounts work) {
    return new Row(NOW.minusSeconds(60L * (60 - minute)), topic, 60L, depth, null, work);
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
    Figures order = Reading.of(Span.HOUR, rows, NOW).of("order");
    Chart.Line line = line(order, "Messages in the queue", "all states");
    assertThat(line.now()).isEqualTo("≈5,000,000");
    assertThat(line.pieces()).hasSize(1);
  }
}
