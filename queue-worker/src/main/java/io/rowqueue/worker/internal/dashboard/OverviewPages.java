package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.depth.JooqTableSize;
import io.rowqueue.worker.internal.dashboard.Chart.Series;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Overview, and operators' bulk changes. */
@Singleton
class OverviewPages {

  /** The share of failed attempts that is unusual. */
  private static final double MANY_FAILED = 0.05;

  private static final long SPARK_STEP = Duration.ofSeconds(15).toNanos();

  private final Board board;
  private final Trends trends;
  private final Sweeps sweeps;
  private final AuditTable audit;
  private final DoctorPages doctor;
  private final Views views;

  @Inject
  OverviewPages(
      Board board,
      Trends trends,
      Sweeps sweeps,
      AuditTable audit,
      DoctorPages doctor,
      Views views) {
    this.doctor = doctor;
    this.audit = audit;
    this.board = board;
    this.trends = trends;
    this.sweeps = sweeps;
    this.views = views;
  }

  /** Less is handled soon, and the difference of the rates is chance. */
  private static final int SECONDS_OF_BACKLOG = 60;

  /** A number with its label. */
  record Tile(String name, String value, String hint, String href, String tone) {}

  /** A row of the topics table; {@code purgeable} if it has messages that a purge deletes. */
  record TopicLine(
      String name,
      String shown,
      String query,
      boolean paused,
      boolean quiet,
      boolean purgeable,
      String available,
      String scheduled,
      String blocked,
      String inFlight,
      String dead,
      boolean hasDead,
      String head,
      List<Chart.Piece> spark) {}

  Reply overview(Call call) {
    Board.Reading now = board.read();
    List<Board.Reading> samples = board.samples();
    Map<String, Object> model = new HashMap<>(now.estimates());
    Trends.Span span = Trends.Span.of(call.query().text("over"));
    Trends.Reading trends = this.trends.read(span);
    model.put("doctor", doctor.glance());
    model.put("tiles", tiles(now));
    model.put("work", tiles(now.sum(), trends.all(), span, now.threads()));
    model.put("spans", Trends.Span.choices(views.base() + "?", span));
    model.put("charts", trends.all().charts());
    model.put("topics", worked(topicLines(now, samples), trends));
    JooqTableSize size = now.size();
    model.put("at", size == null ? null : Texts.Moment.of(size.at()));
    model.put("took", now.tookNanos() / 1_000_000);
    return views.show(call, new Views.Page("Overview", "overview", true, model));
  }

  private List<Tile> tiles(Board.Reading now) {
    return tiles(views.base(), now.sum(), "", now.workers().size());
  }

  /**
   * The counts of one or all topics.
   *
   * @param base the dashboard's path
   * @param topic for links: {@code &topic=} and the topic's name; empty for all topics
   * @param workers the number of live workers that handle them
   */
  static List<Tile> tiles(String base, TopicCounts counts, String topic, int workers) {
    String messages = base + "/messages?state=";
    Duration oldest = counts.oldest();
    return List.of(
        new Tile(
            "Available",
            Texts.estimate(counts.available()),
            "ready to be claimed",
            messages + "available" + topic,
            ""),
        new Tile(
            "In flight",
            Texts.estimate(counts.inFlight()),
            "claimed by workers",
            base + "/workers",
            ""),
        new Tile(
            "Scheduled",
            Texts.estimate(counts.scheduled()),
            "due later",
            messages + "scheduled" + topic,
            ""),
        new Tile(
            "Blocked",
            Texts.estimate(counts.blocked()),
            "behind their ordering key",
            messages + "blocked" + topic,
            ""),
        new Tile(
            "Oldest age",
            Texts.age(oldest),
            "of an available message",
            "",
            oldest != null && oldest.compareTo(DoctorSettings.OLD_MESSAGE) > 0 ? "warn" : ""),
        new Tile(
            "Dead letters",
            Texts.estimate(counts.deadLetters()),
            topic.isEmpty() ? "in all topics" : "in this topic",
            base + "/dead-letters" + topic.replaceFirst("&", "?"),
            counts.deadLetters().isNone() ? "" : "bad"),
        new Tile(
            "Workers",
            Texts.number(workers),
            topic.isEmpty() ? "alive" : "with a handler",
            base + "/workers",
            workers == 0 ? "bad" : ""));
  }

  /**
   * What all workers did, of one or all topics.
   *
   * @param counts what is in the queue now
   * @param threads the live workers' threads; 0 if they are not shown
   */
  static List<Tile> tiles(
      TopicCounts counts, Trends.Figures figures, Trends.Span span, int threads) {
    String hint = "mean of the last " + span.label();
    double ended = figures.completed() + figures.failed();
    return List.of(
        new Tile("Enqueued/s", Texts.rate(figures.enqueued()), hint, "", ""),
        new Tile(
            "Completed/s",
            Texts.rate(figures.completed()),
            hint + backlog(counts, figures),
            "",
            ""),
        new Tile(
            "Failed/s",
            Texts.rate(figures.failed()),
            hint,
            "",
            figures.failed() > MANY_FAILED * ended ? "warn" : ""),
        new Tile("Retried/s", Texts.rate(figures.retried()), hint, "", ""),
        new Tile(
            "Busy threads",
            Texts.rate(figures.busy()),
            threads == 0 ? hint : "of %s now; %s".formatted(Texts.number(threads), hint),
            "",
            ""),
        new Tile("Handling time", figures.handling(0.95), percentiles(figures::handling), "", ""),
        new Tile("Pickup latency", figures.pickup(0.95), percentiles(figures::pickup), "", ""));
  }

  /** What becomes of a backlog of a minute or more, if the rates stay the same. */
  private static String backlog(TopicCounts counts, Trends.Figures figures) {
    long available = counts.available().number();
    double less = figures.completed() - figures.enqueued();
    if (Double.isNaN(less) || available <= SECONDS_OF_BACKLOG * figures.completed()) {
      return "";
    }
    return less <= 0
        ? "; the backlog does not shrink"
        : "; backlog handled in " + Texts.age(Math.round(available / less));
  }

  private static String percentiles(DoubleFunction<String> of) {
    return "p95; p50 %s, p99 %s".formatted(of.apply(0.5), of.apply(0.99));
  }

  /** Lists the topics that have messages first. */
  static List<TopicLine> topicLines(Board.Reading now, List<Board.Reading> samples) {
    List<TopicLine> lines = new ArrayList<>();
    List<Board.Reading> few = few(samples);
    now.topics()
        .forEach(
            (name, counts) -> {
              var setting = now.settings().get(name);
              lines.add(line(name, counts, setting != null && setting.paused(), few));
            });
    lines.sort(java.util.Comparator.comparing(TopicLine::quiet));
    return lines;
  }

  /** Returns the last of each 15 seconds: a small chart shows no more. */
  private static List<Board.Reading> few(List<Board.Reading> samples) {
    List<Board.Reading> few = new ArrayList<>();
    for (Board.Reading one : samples) {
      int last = few.size() - 1;
      if (last >= 0 && few.get(last).nanos() / SPARK_STEP == one.nanos() / SPARK_STEP) {
        few.remove(last);
      }
      few.add(one);
    }
    return few;
  }

  /** A row of the overview's topics table. */
  record WorkedTopic(
      TopicLine line, String enqueued, String completed, String failed, String handling) {}

  private static List<WorkedTopic> worked(List<TopicLine> lines, Trends.Reading trends) {
    List<WorkedTopic> worked = new ArrayList<>();
    for (TopicLine line : lines) {
      Trends.Figures figures = trends.of(line.name());
      worked.add(
          new WorkedTopic(
              line,
              Texts.rate(figures.enqueued()),
              Texts.rate(figures.completed()),
              Texts.rate(figures.failed()),
              figures.handling(0.95)));
    }
    return worked;
  }

  /** Returns the number of messages that a purge deletes. */
  static Count waiting(TopicCounts counts) {
    return counts.available().plus(counts.scheduled()).plus(counts.blocked());
  }

  private static TopicLine line(
      String name, TopicCounts counts, boolean paused, List<Board.Reading> samples) {
    Chart spark =
        Chart.of(
            name,
            samples,
            List.of(
                Series.counts(
                    "",
                    "a",
                    samples,
                    one -> one.topics().getOrDefault(name, TopicCounts.NONE).depth())));
    return new TopicLine(
        name,
        shown(name),
        encoded(name),
        paused,
        counts.depth().isNone() && counts.deadLetters().isNone(),
        !waiting(counts).isNone(),
        Texts.estimate(counts.available()),
        Texts.estimate(counts.scheduled()),
        Texts.estimate(counts.blocked()),
        Texts.estimate(counts.inFlight()),
        Texts.estimate(counts.deadLetters()),
        !counts.deadLetters().isNone(),
        Texts.age(counts.oldest()),
        spark.lines().get(0).pieces());
  }

  /** Makes a name visible that consists of spaces only. */
  static String shown(String topic) {
    return topic.isBlank() ? "“" + Texts.visible(topic) + "”" : Texts.visible(topic);
  }

  static String encoded(String text) {
    return java.net.URLEncoder.encode(text, java.nio.charset.StandardCharsets.UTF_8);
  }

  /**
   * A bulk change.
   *
   * @param most the number of its messages; null if that is not known
   */
  record SweepLine(
      int number,
      String did,
      String action,
      String on,
      String who,
      Texts.Moment started,
      String rate,
      @Nullable Long most,
      long made,
      String done,
      String state,
      String trouble,
      boolean running) {}

  Reply activity(Call call) {
    List<SweepLine> lines = new ArrayList<>();
    for (Sweep sweep : sweeps.list()) {
      Integer rate = sweep.plan().perSecond();
      long made = sweep.done();
      Count total = sweep.plan().total(made);
      lines.add(
          new SweepLine(
              sweep.number(),
              sweep.plan().did(),
              Texts.action(sweep.plan().did()),
              Texts.visible(sweep.plan().on()),
              sweep.plan().who().text(),
              Texts.Moment.of(sweep.startedAt()),
              rate == null ? "unlimited" : Texts.number(rate) + "/s",
              total == null || !total.isAll() || total.isNone() ? null : total.number(),
              made,
              Texts.number(made) + (total == null ? "" : " of " + Texts.count(total)),
              sweep.state().label(),
              Texts.visible(sweep.trouble()),
              sweep.isRunning()));
    }
    Map<String, Object> model = audit.search(call.query());
    model.put("sweeps", lines);
    model.put("none", lines.isEmpty());
    // A search is not repeated every few seconds.
    boolean live = Boolean.FALSE.equals(model.get("searched"));
    return views.show(call, new Views.Page("Activity", "activity", live, model));
  }

  Reply stop(Call call) {
    long number = call.form().number("number", 0, Integer.MAX_VALUE);
    Sweep sweep =
        sweeps.list().stream()
            .filter(one -> one.number() == number)
            .findFirst()
            .orElseThrow(() -> new Refusal(404, "This worker runs no such change."));
    sweep.stop();
    Audit.write(
        call.who(), "activity.stop", sweep.plan().did() + " " + sweep.plan().on(), "requested");
    return views.done(call, "/activity", "It stops before its next batch of 200.");
  }
}
