package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.depth.JooqTableSize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A chart of past readings, to be drawn by a template with the newest at the right edge.
 *
 * @param name its title
 * @param top the value at its upper edge
 * @param middle half of it
 * @param span its width in minutes
 * @param lines its series
 * @param source what it was drawn from
 */
record Chart(String name, String top, String middle, long span, List<Line> lines, Source source) {

  /** More columns than this would not be hit by a pointer. */
  private static final int MOST_COLUMNS = 60;

  /**
   * Values and their times.
   *
   * @param end the time of the last; null if unknown
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Source(long[] nanos, List<Series> series, @Nullable Instant end) {

    Source at(@Nullable Instant time) {
      return new Source(nanos, series, time);
    }

    private long age(int index) {
      return nanos[nanos.length - 1] - nanos[index];
    }
  }

  /**
   * A column of the chart with its values as text, for the pointer.
   *
   * @param x in the box of 600 by 120
   */
  record Column(String x, String width, String text) {}

  /** Returns a copy that shows times, of which {@code time} is the last. */
  Chart endingAt(@Nullable Instant time) {
    return new Chart(name, top, middle, span, lines, source.at(time));
  }

  /** Returns the time at its right edge; null if unknown. */
  Texts.@Nullable Moment end() {
    return Texts.Moment.orNull(source.end);
  }

  /** Returns the time at its left edge; null if unknown. */
  Texts.@Nullable Moment begin() {
    return source.end == null ? null : Texts.Moment.of(source.end.minus(Duration.ofMinutes(span)));
  }

  /** Returns the values under the pointer, from left to right. */
  List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    int last = source.nanos.length - 1;
    int step = 1 + last / MOST_COLUMNS;
    double from = 0;
    for (int i = last % step; i >= 0 && i <= last; i += step) {
      double to = i == last ? WIDTH : (x(source.age(i)) + x(source.age(i + step))) / 2;
      columns.add(new Column(decimal(from), decimal(Math.max(0, to - from)), text(i)));
      from = Math.max(from, to);
    }
    return columns;
  }

  private double x(long age) {
    return Math.max(0, WIDTH - age / (span * MINUTE) * WIDTH);
  }

  private String text(int index) {
    String at =
        source.end == null
            ? Texts.age(source.age(index) / 1_000_000_000) + " ago"
            : Texts.time(source.end.minusNanos(source.age(index))) + " UTC";
    return source.series.stream()
        .map(series -> series.name() + " " + series.texts().apply(index))
        .collect(Collectors.joining(", ", at + ": ", ""));
  }

  /** Not by a pattern, since a page has thousands. */
  private static String decimal(double number) {
    long tenths = Math.round(number * 10);
    return tenths / 10 + "." + tenths % 10;
  }

  /** Returns whether the area below its line is filled; areas of several would overlap. */
  boolean filled() {
    return lines.size() == 1;
  }

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
   * @param texts the same for people, by index
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Series(String name, String style, double[] values, IntFunction<String> texts) {

    /** A series of counts, exact or estimated; null if unknown. */
    static <T> Series counts(
        String name, String style, List<T> samples, Function<T, @Nullable Count> of) {
      List<@Nullable Count> counts = new ArrayList<>();
      samples.forEach(sample -> counts.add(of.apply(sample)));
      return new Series(
          name,
          style,
          counts.stream().mapToDouble(one -> one == null ? Double.NaN : one.number()).toArray(),
          index -> text(counts.get(index)));
    }

    private static String text(@Nullable Count count) {
      return count == null ? UNKNOWN : Texts.estimate(count);
    }

    static Series rates(String name, String style, double[] values) {
      return new Series(
          name,
          style,
          values,
          index -> isKnown(values[index]) ? Texts.rate(values[index]) : UNKNOWN);
    }

    /** Returns the newest value. */
    String now() {
      return values.length == 0 ? UNKNOWN : texts.apply(values.length - 1);
    }
  }

  /** Of the recent readings. */
  static Chart of(String name, List<Board.Reading> samples, List<Series> all) {
    long[] nanos = samples.stream().mapToLong(Board.Reading::nanos).toArray();
    JooqTableSize size = samples.isEmpty() ? null : samples.get(samples.size() - 1).size();
    return of(name, nanos, all).endingAt(size == null ? null : size.at());
  }

  /** Of values at these times. */
  static Chart of(String name, long[] nanos, List<Series> all) {
    double top = 0;
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
    return new Chart(
        name,
        Texts.number(Math.round(nice)),
        Texts.rate(nice / 2),
        minutes,
        lines,
        new Source(nanos, all, null));
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
      return decimal(x) + "," + decimal(y);
    }
  }

  /** Returns the next of 1, 2, 5, 10, 20 and so on, so that no line is on the upper edge. */
  private static double nice(double top) {
    if (top < 1) {
      return 1;
    }
    double power = Math.pow(10, Math.floor(Math.log10(top)));
    for (double step : new double[] {2, 5}) {
      if (step * power > top) {
        return step * power;
      }
    }
    return 10 * power;
  }
}
