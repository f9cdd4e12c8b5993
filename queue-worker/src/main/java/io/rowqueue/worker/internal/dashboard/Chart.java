package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.claim.QueueCounts.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
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

  /** Returns its width, for people. */
  String width() {
    return span < 120 ? span + " min" : Texts.age(60 * span);
  }

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

    /** A series of counts, exact or estimated. */
    static Series counts(
        String name, String style, List<Board.Reading> samples, Function<Board.Reading, Count> of) {
      List<Count> counts = samples.stream().map(of).toList();
      String now = counts.isEmpty() ? UNKNOWN : Texts.estimate(counts.get(counts.size() - 1));
      return new Series(name, style, counts.stream().mapToDouble(Count::number).toArray(), now);
    }

    static Series rates(String name, String style, double[] values) {
      double last = values.length == 0 ? Double.NaN : values[values.length - 1];
      return new Series(name, style, values, isKnown(last) ? Texts.rate(last) : UNKNOWN);
    }
  }

  /** Of the recent readings. */
  static Chart of(String name, List<Board.Reading> samples, List<Series> all) {
    long[] nanos = samples.stream().mapToLong(Board.Reading::nanos).toArray();
    return of(name, nanos, all);
  }

  /** Of values at these times. */
  static Chart of(String name, long[] nanos, List<Series> all) {
    double top = 1;
    for (Series series : all) {
      for (double value : series.values()) {
        top = isKnown(value) ? Math.max(top, value) : top;
      }
    }
    double nice = nice(top);
    long minutes = minutes(nanos);
    List<Line> lines = new ArrayList<>();
    for (Series series : all) {
      lines.add(line(series, nanos, new Scale(nice, minutes)));
    }
    return new Chart(name, Texts.number(Math.round(nice)), minutes, lines);
  }

  /** The scale of the two axes. */
  private record Scale(double top, long minutes) {}

  private static long minutes(long[] nanos) {
    if (nanos.length == 0) {
      return LEAST_MINUTES;
    }
    return Math.max(LEAST_MINUTES, (long) Math.ceil((nanos[nanos.length - 1] - nanos[0]) / MINUTE));
  }

  private static boolean isKnown(double value) {
    return Double.isFinite(value) && value >= 0;
  }

  private static Line line(Series series, long[] nanos, Scale scale) {
    List<Piece> pieces = new ArrayList<>();
    List<Point> points = new ArrayList<>();
    double[] values = series.values();
    long end = nanos.length == 0 ? 0 : nanos[nanos.length - 1];
    for (int i = 0; i < values.length; i++) {
      long age = end - nanos[i];
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
