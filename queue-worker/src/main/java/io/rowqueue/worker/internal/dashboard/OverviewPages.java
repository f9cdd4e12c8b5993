package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.worker.internal.dashboard.Chart.Series;
import io.rowqueue.worker.internal.observe.ListedWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Overview, workers, and operators' bulk changes. */
@Singleton
class OverviewPages {

  /** The limit for all workers together. */
  private static final int IN_FLIGHT_SHOWN = 500;

  /** The limit for each worker. */
  private static final int OF_EACH = 25;

  private final Board board;
  private final DashboardPool pool;
  private final Sweeps sweeps;
  private final Views views;

  @Inject
  OverviewPages(Board board, DashboardPool pool, Sweeps sweeps, Views views) {
    this.board = board;
    this.pool = pool;
    this.sweeps = sweeps;
    this.views = views;
  }

  /** A number with its label. */
  record Tile(String name, String value, String hint, String href, String tone) {}

  /** A row of the topics table. */
  record TopicLine(
      String name,
      String shown,
      String query,
      boolean paused,
      boolean quiet,
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
    List<Board.Sample> samples = board.samples();
    Map<String, Object> model = new HashMap<>();
    model.put("tiles", tiles(now, Rates.now(samples)));
    model.put("charts", charts(samples));
    model.put("topics", topicLines(now, samples));
    model.put("exact", now.isExact());
    model.put("most", Texts.number(now.most()));
    JooqIds ids = now.ids();
    model.put("rows", ids == null ? "?" : Texts.number(ids.rows()));
    model.put("at", ids == null ? "" : Texts.time(ids.at()));
    model.put("took", now.tookNanos() / 1_000_000);
    return views.show(call, new Views.Page("Overview", "overview", true, model));
  }

  private static List<Tile> tiles(Board.Reading now, Rates rates) {
    TopicCounts sum = now.sum();
    String base = Dashboard.PATH;
    return List.of(
        new Tile(
            "Available",
            Texts.count(sum.available()),
            "ready to be claimed",
            base + "/messages?state=available",
            ""),
        new Tile(
            "In flight", Texts.count(sum.inFlight()), "claimed by workers", base + "/workers", ""),
        new Tile(
            "Scheduled",
            Texts.count(sum.scheduled()),
            "due later",
            base + "/messages?state=scheduled",
            ""),
        new Tile(
            "Blocked",
            Texts.count(sum.blocked()),
            "behind their ordering key",
            base + "/messages?state=in-line",
            ""),
        new Tile(
            "Dead letters",
            Texts.count(sum.deadLetters()),
            "in all topics",
            base + "/dead-letters",
            !sum.deadLetters().isNone() ? "bad" : ""),
        new Tile(
            "Workers",
            Texts.number(now.workers().size()),
            "alive",
            base + "/workers",
            now.workers().isEmpty() ? "bad" : ""),
        new Tile("Enqueued/s", Texts.rate(rates.arrived()), "by all producers", "", ""),
        new Tile(
            "Completed/s",
            Texts.rate(rates.left()),
            now.isExact() ? "by all workers" : "unknown while counts are capped",
            "",
            ""),
        new Tile(
            "This worker",
            Texts.rate(rates.handled()) + "/s",
            "messages handled; " + Texts.rate(rates.failed()) + "/s fail",
            "",
            rates.failed() > 0 ? "warn" : ""));
  }

  private static List<Chart> charts(List<Board.Sample> samples) {
    List<Rates> rates = Rates.all(samples);
    List<Board.Sample> ends = samples.isEmpty() ? samples : samples.subList(1, samples.size());
    return List.of(
        Chart.of(
            "Messages in the queue",
            samples,
            List.of(
                Series.counts("available", "a", samples, one -> one.of().sum().available()),
                Series.counts("scheduled", "b", samples, one -> one.of().sum().scheduled()),
                Series.counts("in flight", "c", samples, one -> one.of().sum().inFlight()),
                Series.counts("dead letters", "d", samples, one -> one.of().sum().deadLetters()))),
        Chart.of(
            "Messages per second",
            ends,
            List.of(
                Series.rates("enqueued", "a", rates, Rates::arrived),
                Series.rates("completed", "c", rates, Rates::left),
                Series.rates("this worker", "b", rates, Rates::handled),
                Series.rates("this worker, failed", "d", rates, Rates::failed))));
  }

  /** Lists the topics that have messages first. */
  static List<TopicLine> topicLines(Board.Reading now, List<Board.Sample> samples) {
    List<TopicLine> lines = new ArrayList<>();
    now.topics()
        .forEach(
            (name, counts) -> {
              var setting = now.settings().get(name);
              lines.add(line(name, counts, setting != null && setting.paused(), samples));
            });
    lines.sort(java.util.Comparator.comparing(TopicLine::quiet));
    return lines;
  }

  private static TopicLine line(
      String name, TopicCounts counts, boolean paused, List<Board.Sample> samples) {
    Chart spark =
        Chart.of(
            name,
            samples,
            List.of(
                Series.counts(
                    "",
                    "a",
                    samples,
                    one -> one.of().topics().getOrDefault(name, TopicCounts.NONE).living())));
    return new TopicLine(
        name,
        shown(name),
        encoded(name),
        paused,
        counts.living().isNone() && counts.deadLetters().isNone(),
        Texts.count(counts.available()),
        Texts.count(counts.scheduled()),
        Texts.count(counts.blocked()),
        Texts.count(counts.inFlight()),
        Texts.count(counts.deadLetters()),
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

  /** A message in flight. */
  record Held(String id, String topic, String age, boolean old, int attempts, String size) {}

  /** A worker with its messages. */
  record WorkerCard(
      String lockId,
      String host,
      String version,
      String up,
      String lease,
      boolean late,
      boolean draining,
      String topics,
      String count,
      List<Held> held,
      String more) {}

  Reply workers(Call call) {
    Board.Reading now = board.read();
    List<JooqMessageList.Row> claimed =
        new JooqMessageList(pool.transactions()).inState(MessageState.CLAIMED, IN_FLIGHT_SHOWN + 1);
    boolean all = claimed.size() <= IN_FLIGHT_SHOWN;
    Map<String, List<JooqMessageList.Row>> byWorker = new LinkedHashMap<>();
    for (JooqMessageList.Row row : claimed) {
      byWorker.computeIfAbsent(row.worker(), any -> new ArrayList<>()).add(row);
    }
    List<WorkerCard> cards = new ArrayList<>();
    JooqIds ids = now.ids();
    for (ListedWorker worker : now.workers()) {
      List<JooqMessageList.Row> held = byWorker.getOrDefault(worker.status().lockId(), List.of());
      byWorker.remove(worker.status().lockId());
      Instant at = ids == null ? worker.startedAt() : ids.at();
      cards.add(card(worker, held, at, all));
    }
    List<Held> nobodys = new ArrayList<>();
    byWorker.values().forEach(rows -> rows.forEach(row -> nobodys.add(held(row))));
    Map<String, Object> model = new HashMap<>();
    model.put("workers", cards);
    model.put("none", cards.isEmpty());
    model.put("cut", all ? null : Texts.number(IN_FLIGHT_SHOWN));
    model.put("nobodys", nobodys);
    return views.show(call, new Views.Page("Workers", "workers", true, model));
  }

  private static WorkerCard card(
      ListedWorker worker, List<JooqMessageList.Row> rows, Instant at, boolean all) {
    List<Held> held = rows.stream().limit(OF_EACH).map(OverviewPages::held).toList();
    Duration lease = worker.status().leaseLeft();
    return new WorkerCard(
        worker.status().lockId(),
        worker.status().host() + ", process " + worker.status().pid(),
        worker.status().version(),
        Texts.age(worker.startedAt(), at),
        lease.isNegative() ? "expired" : Texts.age(lease.toSeconds()) + " left",
        lease.isNegative(),
        worker.draining(),
        Texts.visible(String.join(", ", worker.status().topics())),
        Texts.number(rows.size()) + (all ? "" : "+"),
        held,
        rows.size() > OF_EACH ? Texts.number(rows.size() - OF_EACH) : "");
  }

  private static Held held(JooqMessageList.Row row) {
    long seconds = Duration.between(row.updatedAt(), row.at()).toSeconds();
    return new Held(
        Long.toString(row.id()),
        shown(row.topic()),
        Texts.age(seconds),
        seconds >= 60,
        row.attempts(),
        Texts.bytes(row.size()));
  }

  /** A bulk change. */
  record SweepLine(
      int number,
      String did,
      String on,
      String who,
      String rate,
      String done,
      String state,
      String trouble,
      boolean running) {}

  Reply activity(Call call) {
    List<SweepLine> lines = new ArrayList<>();
    for (Sweep sweep : sweeps.list()) {
      Integer rate = sweep.plan().perSecond();
      lines.add(
          new SweepLine(
              sweep.number(),
              sweep.plan().did(),
              Texts.visible(sweep.plan().on()),
              sweep.plan().who().text(),
              rate == null ? "unlimited" : Texts.number(rate) + "/s",
              Texts.number(sweep.done()),
              sweep.state().name().toLowerCase(Locale.ROOT),
              Texts.visible(sweep.trouble()),
              sweep.isRunning()));
    }
    Map<String, Object> model = new HashMap<>();
    model.put("sweeps", lines);
    model.put("none", lines.isEmpty());
    return views.show(call, new Views.Page("Activity", "activity", true, model));
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
