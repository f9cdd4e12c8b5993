package io.rowqueue.worker.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A chart of what is remembered, for a template to draw: the newest at the right edge.
 *
 * @param name what it shows, for people
 * @param top the value at its upper edge
 * @param span how many minutes it shows
 * @param lines what is drawn
 */
record Chart(String name, String top, long span, List<Line> lines) {

  private static final int WIDTH = 600;
  private static final int HEIGHT = 120;
  private static final double MINUTE = 60 * 1e9;
  private static final int LEAST_MINUTES = 2;

  /**
   * One curve.
   *
   * @param name what it is
   * @param style the name that the style sheet knows its colour by
   * @param points for a polyline, in a box of 600 by 120
   * @param area the same, closed at the bottom
   * @param now its newest value
   */
  record Line(String name, String style, String points, String area, String now) {}

  /** What a curve shows of each sample; NaN leaves it out. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Series(String name, String style, double[] values) {

    static Series of(
        String name, String style, List<Board.Sample> samples, ToDoubleFunction<Board.Sample> of) {
      return new Series(name, style, samples.stream().mapToDouble(of).toArray());
    }
  }

  static Chart of(String name, List<Board.Sample> samples, List<Series> all) {
    double top = 1;
    for (Series series : all) {
      for (double value : series.values()) {
        top = Double.isNaN(value) ? top : Math.max(top, value);
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

  /** What its upper edge and its whole width stand for. */
  private record Scale(double top, long minutes) {}

  private static long minutes(List<Board.Sample> samples) {
    if (samples.isEmpty()) {
      return LEAST_MINUTES;
    }
    long nanos = samples.get(samples.size() - 1).of().nanos() - samples.get(0).of().nanos();
    return Math.max(LEAST_MINUTES, (long) Math.ceil(nanos / MINUTE));
  }

  private static Line line(Series series, List<Board.Sample> samples, Scale scale) {
    StringBuilder points = new StringBuilder();
    double[] values = series.values();
    long end = samples.isEmpty() ? 0 : samples.get(samples.size() - 1).of().nanos();
    double first = Double.NaN;
    double last = Double.NaN;
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i])) {
        double x = WIDTH - (end - samples.get(i).of().nanos()) / (scale.minutes() * MINUTE) * WIDTH;
        double y = HEIGHT - 2 - values[i] / scale.top() * (HEIGHT - 6);
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        first = Double.isNaN(first) ? x : first;
        last = x;
      }
    }
    String area =
        Double.isNaN(first)
            ? ""
            : String.format(Locale.ROOT, "%.1f,%d %s%.1f,%d", first, HEIGHT, points, last, HEIGHT);
    String now = values.length == 0 ? "–" : Texts.rate(values[values.length - 1]);
    return new Line(series.name(), series.style(), points.toString().strip(), area, now);
  }

  /** The next of 1, 2, 5, 10, 20 and so on. */
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
