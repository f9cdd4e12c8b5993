package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.worker.internal.dashboard.Chart.Series;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a chart's points lie, in its box of 600 by 120. */
class ChartTest {

  private static final double UNKNOWN = Double.NaN;

  /** One each minute, the last of them at its right edge. */
  private static Chart chart(double... values) {
    List<Board.Reading> samples = new ArrayList<>();
    for (int minute = 0; minute < values.length; minute++) {
      samples.add(sample(60.0 * minute));
    }
    return chart(samples, values);
  }

  private static Chart chart(List<Board.Reading> samples, double... values) {
    return Chart.of("messages", samples, List.of(series(values)));
  }

  private static Series series(double... values) {
    return Series.rates("some", "a", values);
  }

  private static Board.Reading sample(double seconds) {
    return sample(seconds, Count.NONE);
  }

  private static Board.Reading sample(double seconds, Count available) {
    TopicCounts counts =
        new TopicCounts(available, Count.NONE, Count.NONE, Count.NONE, Count.NONE, null);
    return new Board.Reading(
        (long) (seconds * 1e9),
        null,
        Map.of("one", counts, "other", counts),
        Map.of(),
        List.of(),
        CountLimit.MOST,
        0);
  }

  private static Chart.Line available(Count... counts) {
    List<Board.Reading> samples = new ArrayList<>();
    for (int minute = 0; minute < counts.length; minute++) {
      samples.add(sample(60.0 * minute, counts[minute]));
    }
    Series series = Series.counts("available", "a", samples, one -> one.sum().available());
    return Chart.of("messages", samples, List.of(series)).lines().get(0);
  }

  private static List<String> points(Chart chart) {
    return chart.lines().get(0).pieces().stream().map(Chart.Piece::points).toList();
  }

  private static List<String> areas(Chart chart) {
    return chart.lines().get(0).pieces().stream().map(Chart.Piece::area).toList();
  }

  private static String now(Chart chart) {
    return chart.lines().get(0).now();
  }

  /** Areas of several series would overlap. */
  @Test
  void area_ofOneSeriesOnly_isFilled() {
    assertThat(chart(1, 2).filled()).isTrue();
    assertThat(Chart.of("two", List.of(), List.of(series(), series())).filled()).isFalse();
  }

  @Test
  void chart_ofNothing_isEmptyAndSaysSo() {
    Chart chart = chart();
    assertThat(points(chart)).isEmpty();
    assertThat(now(chart)).isEqualTo("–");
    assertThat(chart.top()).isEqualTo("1");
    assertThat(chart.span()).isEqualTo(2);
  }

  @Test
  void chart_ofOnePoint_isADotAtTheRightEdge() {
    Chart chart = chart(1);
    assertThat(points(chart)).containsExactly("600.0,61.0 600.0,61.0");
    assertThat(now(chart)).isEqualTo("1");
  }

  @Test
  void chart_ofValues_goesFromTheLeftEdgeToTheRight() {
    Chart chart = chart(0, 5, 8, 5, 0);
    assertThat(points(chart))
        .containsExactly("0.0,118.0 150.0,61.0 300.0,26.8 450.0,61.0 600.0,118.0");
    assertThat(areas(chart))
        .containsExactly(
            "0.0,120.0 0.0,118.0 150.0,61.0 300.0,26.8 450.0,61.0 600.0,118.0 600.0,120.0");
    assertThat(chart.span()).isEqualTo(4);
    assertThat(chart.top()).isEqualTo("10");
  }

  /** What was not known in between must not look as if it had been. */
  @Test
  void chart_ofAGap_isNotDrawnThroughIt() {
    Chart chart = chart(UNKNOWN, 0, 8, UNKNOWN, UNKNOWN, 8, UNKNOWN, 0, UNKNOWN);
    assertThat(points(chart))
        .containsExactly(
            "75.0,118.0 150.0,26.8", "375.0,26.8 375.0,26.8", "525.0,118.0 525.0,118.0");
    assertThat(areas(chart)).startsWith("75.0,120.0 75.0,118.0 150.0,26.8 150.0,120.0").hasSize(3);
    assertThat(now(chart)).isEqualTo("–");
  }

  @Test
  void chart_ofUnknownValuesOnly_isEmpty() {
    assertThat(points(chart(UNKNOWN, UNKNOWN))).isEmpty();
  }

  /** Of two topics: their sum is an estimate, drawn like an exact one. */
  @Test
  void counts_thatAreEstimates_areMarkedAndDrawn() {
    Chart.Line line = available(new Count(7, true), new Count(1_234, false));
    assertThat(line.now()).isEqualTo("≈2,500");
    assertThat(line.pieces()).hasSize(1);
    assertThat(line.pieces().get(0).points()).startsWith("300.0,").endsWith(" 600.0,61.7");
    assertThat(available(new Count(3, true), new Count(4, false)).now()).isEqualTo("≈8");
  }

  @Test
  void counts_thatAreExact_haveNoMarkHoweverManyTheyAreTogether() {
    Chart.Line line = available(new Count(CountLimit.MOST - 1, true));
    assertThat(line.now()).isEqualTo("199,998");
    assertThat(line.pieces()).hasSize(1);
  }

  @Test
  void counts_ofNoReading_areUnknown() {
    assertThat(available().now()).isEqualTo("–");
  }

  /** No count and no rate is below zero; what claims to be is not known. */
  @Test
  void chart_ofNumbersThatCannotBe_leavesThemOut() {
    Chart chart = chart(0, -5, 8, Double.POSITIVE_INFINITY, 0);
    assertThat(points(chart))
        .containsExactly("0.0,118.0 0.0,118.0", "300.0,26.8 300.0,26.8", "600.0,118.0 600.0,118.0");
    assertThat(chart.top()).isEqualTo("10");
    assertThat(now(chart(0, -5))).isEqualTo("–");
    assertThat(now(chart(0, Double.NEGATIVE_INFINITY))).isEqualTo("–");
    assertThat(now(chart(0, Double.POSITIVE_INFINITY))).isEqualTo("–");
  }

  @Test
  void chart_ofHugeNumbers_staysInItsBox() {
    Chart chart = chart(0, 9e18);
    assertThat(points(chart)).containsExactly("300.0,118.0 600.0,15.4");
    assertThat(chart.top()).isEqualTo("9,223,372,036,854,775,807");
  }

  @Test
  void chart_ofTimeThatGoesBackwards_staysInItsBox() {
    Chart chart = chart(List.of(sample(600), sample(0)), 1, 1);
    assertThat(chart.span()).isEqualTo(2);
    assertThat(points(chart)).containsExactly("600.0,61.0 600.0,61.0");
  }

  /** The upper edge is a number that people read at a glance, and every value is below it. */
  @ParameterizedTest
  @CsvSource({
    "0, 1",
    "0.4, 1",
    "1, 2",
    "1.1, 2",
    "2, 5",
    "3, 5",
    "5, 10",
    "5.1, 10",
    "10, 20",
    "11, 20",
    "999, '1,000'",
    "1000, '2,000'",
    "1001, '2,000'",
    "100000, '200,000'",
    "123456, '200,000'",
  })
  void top_isTheNextOfOneTwoAndFive(double value, String top) {
    assertThat(chart(value, 0).top()).isEqualTo(top);
  }

  @Test
  void chart_ofSeveralSeries_hasOneScaleForAll() {
    List<Board.Reading> samples = List.of(sample(0), sample(120));
    Chart chart =
        Chart.of(
            "messages",
            samples,
            List.of(
                Series.counts("few", "a", samples, any -> new Count(1, true)),
                Series.counts("many", "b", samples, any -> new Count(100, true))));
    assertThat(chart.lines())
        .extracting(line -> line.pieces().get(0).points())
        .containsExactly("0.0,117.4 600.0,117.4", "0.0,61.0 600.0,61.0");
  }

  /** Every value is under the pointer, with its time if that is known. */
  @Test
  void columns_coverTheChart_andHaveTheValuesOfAllSeries() {
    Chart chart = chart(0, UNKNOWN, 10);
    assertThat(chart.columns())
        .containsExactly(
            new Chart.Column("0.0", "150.0", "2 min 0 s ago: some 0"),
            new Chart.Column("150.0", "300.0", "1 min 0 s ago: some –"),
            new Chart.Column("450.0", "150.0", "0 s ago: some 10"));
    assertThat(chart.begin()).isNull();
    Chart dated = chart.endingAt(Instant.parse("2026-01-02T03:04:05Z"));
    assertThat(dated.columns().get(0).text()).isEqualTo("2026-01-02 03:02:05 UTC: some 0");
    assertThat(dated.begin()).isEqualTo(Texts.Moment.of(Instant.parse("2026-01-02T03:02:05Z")));
    assertThat(dated.middle()).isEqualTo("10");
  }

  @Test
  void columns_ofManyValues_areFewAndEndWithTheNewest() {
    double[] values = new double[1_000];
    values[999] = 7;
    List<Chart.Column> columns = chart(values).columns();
    assertThat(columns).hasSizeBetween(40, 61);
    assertThat(columns.get(columns.size() - 1).text()).isEqualTo("0 s ago: some 7");
    assertThat(chart().columns()).isEmpty();
  }

  @Test
  void chart_ofAQuarterOfAnHour_isDrawnOverAllOfIt() {
    List<Double> values =
        Stream.concat(Stream.of(0.0), Collections.nCopies(15, 1.0).stream()).toList();
    Chart chart = chart(values.stream().mapToDouble(Double::doubleValue).toArray());
    assertThat(chart.span()).isEqualTo(15);
    assertThat(points(chart).get(0)).startsWith("0.0,118.0 40.0,61.0 ").endsWith(" 600.0,61.0");
  }
}
