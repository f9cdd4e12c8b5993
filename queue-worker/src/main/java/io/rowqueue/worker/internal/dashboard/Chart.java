package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.claim.QueueCounts.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A chart of past readings, to be drawn by a template with the newest at the right edge.
 *
 * @param name its title
 * @param top the value at its upper edge
 * @param span its width in minutes
 * @param lines its series
 */
record Chart(String name, String top, long span, List<Line> lines) {

  private static final int WIDTH = 600;
  private static final int HEIGHT = 120;
  private static final double MINUTE = 60 * 1e9;
  private static final int LEAST_MINUTES = 2;
  private static final String UNKNOWN = "–";

  /**
   * One series.
   *
   * @param name its label
   * @param style its colour's name in the style sheet
   * @param pieces its segments, with a gap where its value was unknown
   * @param now its newest value, formatted
   */
  record Line(String name, String style, List<Piece> pieces, String now) {}

  /**
   * A segment without gaps.
   *
   * @param points for a polyline, in a box of 600 by 120
   * @param area the points, closed at the bottom
   */
  record Piece(String points, String area) {}

  /**
   * The values of a series.
   *
   * @param values NaN, or a negative value, leaves a gap
   * @param now the newest value, formatted
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Series(String name, String style, double[] values, String now) {

    /** A series of counts. Capped counts are shown as numbers but not drawn. */
    static Series counts(
        String name, String style, List<Board.Sample> samples, Function<Board.Sample, Count> of) {
      List<Count> counts = samples.stream().map(of).toList();
      String now = counts.isEmpty() ? UNKNOWN : Texts.count(counts.get(counts.size() - 1));
      return new Series(
          name,
          style,
          counts.stream()
              .mapToDouble(count -> count.isAll() ? count.number() : Double.NaN)
              .toArray(),
          now);
    }

    static Series rates(String name, String style, List<Rates> rates, ToDoubleFunction<Rates> of) {
      double[] values = rates.stream().mapToDouble(of).toArray();
      double last = values.length == 0 ? Double.NaN : values[values.length - 1];
      return new Series(name, style, values, isKnown(last) ? Texts.rate(last) : UNKNOWN);
    }
  }

  static Chart of(String name, List<Board.Sample> samples, List<Series> all) {
    double top = 1;
    for (Series series : all) {
      for (double value : series.values()) {
        top = isKnown(value) ? Math.max(top, value) : top;
      }
    }
    double nice = nice(top);
    long minutes = minutes(samples);
    List<Line> lines = new ArrayList<>();
    for (Series series : all) {
      lines.add(line(series, samples, new Scale(nice, minutes)));
    }
    return new Chart(name, Texts.number(Math.round(nice)), minutes, lines);
  }

  /** The scale of the two axes. */
  private record Scale(double top, long minutes) {}

  private static long minutes(List<Board.Sample> samples) {
    if (samples.isEmpty()) {
      return LEAST_MINUTES;
    }
    long nanos = samples.get(samples.size() - 1).of().nanos() - samples.get(0).of().nanos();
    return Math.max(LEAST_MINUTES, (long) Math.ceil(nanos / MINUTE));
  }

  private static boolean isKnown(double value) {
    return Double.isFinite(value) && value >= 0;
  }

  private static Line line(Series series, List<Board.Sample> samples, Scale scale) {
    List<Piece> pieces = new ArrayList<>();
    List<Point> points = new ArrayList<>();
    double[] values = series.values();
    long end = samples.isEmpty() ? 0 : samples.get(samples.size() - 1).of().nanos();
    for (int i = 0; i < values.length; i++) {
      long age = end - samples.get(i).of().nanos();
      if (age >= 0 && isKnown(values[i])) {
        points.add(Point.of(age, values[i], scale));
      } else {
        addPiece(pieces, points);
      }
    }
    addPiece(pieces, points);
    return new Line(series.name(), series.style(), pieces, series.now());
  }

  /** A segment of length zero is drawn as a dot. */
  private static void addPiece(List<Piece> pieces, List<Point> points) {
    if (points.isEmpty()) {
      return;
    }
    Point first = points.get(0);
    Point last = points.get(points.size() - 1);
    if (points.size() == 1) {
      points.add(first);
    }
    String text = points.stream().map(Point::text).collect(Collectors.joining(" "));
    String area = "%s %s %s".formatted(first.below().text(), text, last.below().text());
    pieces.add(new Piece(text, area));
    points.clear();
  }

  private record Point(double x, double y) {

    static Point of(long age, double value, Scale scale) {
      return new Point(
          Math.max(0, WIDTH - age / (scale.minutes() * MINUTE) * WIDTH),
          HEIGHT - 2 - value / scale.top() * (HEIGHT - 6));
    }

    Point below() {
      return new Point(x, HEIGHT);
    }

    String text() {
      return String.format(Locale.ROOT, "%.1f,%.1f", x, y);
    }
  }

  /** Returns the next of 1, 2, 5, 10, 20 and so on. */
  private static double nice(double top) {
    double power = Math.pow(10, Math.floor(Math.log10(top)));
    for (double step : new double[] {1, 2, 5}) {
      if (step * power >= top) {
        return step * power;
      }
    }
    return 10 * power;
  }
}
