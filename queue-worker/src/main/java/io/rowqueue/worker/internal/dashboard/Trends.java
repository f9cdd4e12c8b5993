package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.depth.Histogram;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Period;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.dashboard.Chart.Series;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What all workers did over a time, from their statistics: at most 168 rows a topic, read on demand
 * and then shared by all operators for ten seconds. Thread-safe.
 */
@Singleton
class Trends {

  private static final long KEPT = Duration.ofSeconds(10).toNanos();

  private final DashboardPool pool;
  private final Map<Extent, Reading> known = new HashMap<>();

  /** What is read; without a topic, the rows of all. */
  private record Extent(Span span, @Nullable String topic) {}

  @Inject
  Trends(DashboardPool pool) {
    this.pool = pool;
  }

  /** A time that an operator can choose. */
  enum Span {
    HOUR(Period.MINUTE, Duration.ofHours(1)),
    DAY(Period.TEN_MINUTES, Duration.ofDays(1)),
    WEEK(Period.HOUR, Duration.ofDays(7));

    private final Period period;
    private final Duration length;

    Span(Period period, Duration length) {
      this.period = period;
      this.length = length;
    }

    /** Returns the one with this name; an hour if there is none. */
    static Span of(String name) {
      return switch (name) {
        case "day" -> DAY;
        case "week" -> WEEK;
        default -> HOUR;
      };
    }

    /** Returns the starts of its periods from {@code first} to {@code last}. */
    private Set<Instant> periods(@Nullable Instant first, Instant now, Instant last) {
      Instant begin = now.minus(length);
      Set<Instant> periods = new HashSet<>();
      Instant at = last;
      while (first != null && !at.isBefore(first) && !at.isBefore(begin)) {
        periods.add(at);
        at = at.minus(period.length());
      }
      return periods;
    }

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Links to each of them; their parameter is appended to {@code address}. */
    static List<Choice> choices(String address, Span chosen) {
      List<Choice> choices = new ArrayList<>();
      for (Span span : values()) {
        choices.add(new Choice(span.label(), address + "over=" + span.label(), span == chosen));
      }
      return choices;
    }
  }

  /** A link to a time. */
  record Choice(String name, String href, boolean here) {}

  /**
   * The rows of a time.
   *
   * @param starts the start of each period
   * @param missing the starts of those without a row: then no worker was alive
   * @param byTopic the rows of each topic, and of {@code ""} those of all topics together
   * @param nanos when they were read
   */
  record Reading(
      Span span,
      Set<Instant> starts,
      Set<Instant> missing,
      Map<String, List<Row>> byTopic,
      long nanos) {

    /**
     * Of {@code all} rows, without those of the period that is under way at {@code now}.
     *
     * @param first the start of the first row that is kept, which may be older; null if there is
     *     none. Earlier periods are not missing: the installation may be newer.
     */
    static Reading of(Span span, List<Row> all, @Nullable Instant first, Instant now) {
      Instant last = Statistics.lastComplete(span.period, now);
      List<Row> complete = all.stream().filter(row -> !row.startsAt().isAfter(last)).toList();
      Set<Instant> missing = span.periods(first, now, last);
      List<Row> rows = complete.isEmpty() && missing.isEmpty() ? all : complete;
      Set<Instant> starts = new HashSet<>(missing);
      rows.forEach(
          row -> {
            starts.add(row.startsAt());
            missing.remove(row.startsAt());
          });
      return new Reading(
          span,
          starts,
          missing,
          rows.stream().collect(Collectors.groupingBy(Row::topic)),
          System.nanoTime());
    }

    /** Returns the figures of all topics. */
    Figures all() {
      Figures all = Figures.empty(this);
      byTopic.values().forEach(all::addWork);
      all.addSamples(byTopic.getOrDefault(Statistics.ALL, List.of()));
      return all;
    }

    /** Returns the figures of a topic. */
    Figures of(String topic) {
      List<Row> rows = byTopic.getOrDefault(topic, List.of());
      Figures one = Figures.empty(this);
      one.addWork(rows);
      one.addSamples(rows);
      return one;
    }
  }

  /**
   * Returns the rows of {@code span}.
   *
   * @throws io.rowqueue.QueueException if they cannot be read
   */
  synchronized Reading read(Span span) {
    return read(new Extent(span, null));
  }

  /** Like {@link #read(Span)}, with the rows of at least {@code topic}. */
  synchronized Reading read(Span span, String topic) {
    return read(new Extent(span, topic));
  }

  private Reading read(Extent extent) {
    known.values().removeIf(reading -> System.nanoTime() - reading.nanos() >= KEPT);
    Span span = extent.span();
    Reading last = known.getOrDefault(new Extent(span, null), known.get(extent));
    if (last != null) {
      return last;
    }
    Statistics statistics = new Statistics(pool.transactions());
    Instant now = statistics.now();
    Instant since = now.minus(span.length);
    String topic = extent.topic();
    List<Row> rows =
        topic == null
            ? statistics.read(span.period, since)
            : statistics.read(span.period, since, now, topic);
    Reading read = Reading.of(span, rows, statistics.first(span.period), now);
    known.put(extent, read);
    return read;
  }

  /**
   * The figures of one or all topics, by period, oldest first.
   *
   * @param length the length of a period
   * @param points by the start of the period
   */
  record Figures(Duration length, TreeMap<Instant, Point> points) {

    static Figures empty(Reading reading) {
      TreeMap<Instant, Point> points = new TreeMap<>();
      reading
          .starts()
          .forEach(start -> points.put(start, new Point(reading.missing().contains(start))));
      return new Figures(reading.span().period.length(), points);
    }

    void addWork(List<Row> rows) {
      rows.forEach(row -> point(row).work = point(row).work.plus(row.work()));
    }

    void addSamples(List<Row> rows) {
      rows.forEach(row -> point(row).sample = row);
    }

    private Point point(Row row) {
      return points.computeIfAbsent(row.startsAt(), any -> new Point(false));
    }

    private double seconds() {
      return length.toSeconds();
    }

    /** Returns the mean over all periods; NaN without one. */
    private double mean(ToDoubleFunction<Point> figure) {
      return points.values().stream()
          .mapToDouble(figure)
          .filter(Double::isFinite)
          .average()
          .orElse(Double.NaN);
    }

    /**
     * Messages enqueued a second, over the periods in which that is known. The first sample after
     * missing periods counts theirs.
     */
    double enqueued() {
      List<Double> values = new ArrayList<>();
      boolean isKnown = false;
      for (Point point : points.descendingMap().values()) {
        double value = point.missing ? 0 : point.enqueued(seconds());
        isKnown = point.missing ? isKnown : Double.isFinite(value);
        if (isKnown) {
          values.add(value);
        }
      }
      return values.stream().mapToDouble(value -> value).average().orElse(Double.NaN);
    }

    double completed() {
      return mean(point -> point.work.completed() / seconds());
    }

    double failed() {
      return mean(point -> point.work.failed() / seconds());
    }

    double retried() {
      return mean(point -> point.work.retried() / seconds());
    }

    /** The number of threads that were busy on average. */
    double busy() {
      return mean(point -> point.busy(seconds()));
    }

    private WorkCounts work() {
      return points.values().stream()
          .map(point -> point.work)
          .reduce(WorkCounts.none(), WorkCounts::plus);
    }

    /** Such as {@code 12 ms}; a dash if there are no values. */
    String handling(double share) {
      return Texts.duration(Histogram.percentile(work().handling(), share));
    }

    String pickup(double share) {
      return Texts.duration(Histogram.percentile(work().pickup(), share));
    }

    /** Returns charts of the throughput, the backlog, the times and the busy threads. */
    List<Chart> charts() {
      long[] nanos =
          points.keySet().stream().mapToLong(at -> at.getEpochSecond() * 1_000_000_000L).toArray();
      Instant end = points.isEmpty() ? null : points.lastKey();
      return Stream.of(
              Chart.of(
                  "Messages per second",
                  nanos,
                  List.of(
                      series("enqueued", "a", point -> point.enqueued(seconds())),
                      work("completed", "c", point -> point.work.completed() / seconds()),
                      work("failed", "d", point -> point.work.failed() / seconds()),
                      work("retried", "b", point -> point.work.retried() / seconds()))),
              Chart.of(
                  "Messages in the queue",
                  nanos,
                  List.of(
                      Series.counts(
                          "all states", "a", List.copyOf(points.values()), Point::depth))),
              chart("Oldest age, s", nanos, "of an available message", Point::oldestSeconds),
              chart(
                  "Pickup latency, ms",
                  nanos,
                  "95th percentile",
                  point -> millis(point.work.pickup())),
              chart(
                  "Handling time, ms",
                  nanos,
                  "95th percentile",
                  point -> millis(point.work.handling())),
              Chart.of(
                  "Busy threads",
                  nanos,
                  List.of(work("all workers", "a", point -> point.busy(seconds())))))
          .map(chart -> chart.endingAt(end))
          .toList();
    }

    private Chart chart(String name, long[] nanos, String series, ToDoubleFunction<Point> value) {
      return Chart.of(name, nanos, List.of(series(series, "a", value)));
    }

    private static double millis(long[] counts) {
      Duration percentile = Histogram.percentile(counts, 0.95);
      return percentile == null ? Double.NaN : percentile.toNanos() / 1e6;
    }

    /** A mean counts a missing period as zero; a line has a gap there. */
    private Series work(String name, String style, ToDoubleFunction<Point> value) {
      return series(name, style, point -> point.missing ? Double.NaN : value.applyAsDouble(point));
    }

    private Series series(String name, String style, ToDoubleFunction<Point> value) {
      return Series.rates(name, style, points.values().stream().mapToDouble(value).toArray());
    }

    /** Returns how many attempts ended. */
    long attempts() {
      return LongStream.of(work().handling()).sum();
    }
  }

  /** One period. Confined to the thread that adds it up. */
  static final class Point {
    private final boolean missing;
    private @Nullable Row sample;
    private WorkCounts work = WorkCounts.none();

    /** Of a period without a row if {@code missing}. */
    Point(boolean missing) {
      this.missing = missing;
    }

    double enqueued(double seconds) {
      Long enqueued = sample == null ? null : sample.enqueued();
      return enqueued == null ? Double.NaN : enqueued / seconds;
    }

    @Nullable Count depth() {
      return sample == null ? null : sample.depth();
    }

    /** Zero if no message was available in the last minute of the period. */
    double oldestSeconds() {
      if (sample == null) {
        return Double.NaN;
      }
      return sample.oldest() == null ? 0 : sample.oldest().toSeconds();
    }

    double busy(double seconds) {
      return work.handlingTime().toMillis() / 1_000.0 / seconds;
    }
  }
}
