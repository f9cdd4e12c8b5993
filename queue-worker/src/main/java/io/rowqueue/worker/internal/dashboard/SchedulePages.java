package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.schedule.CronSyntax;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists the schedules, runs them now, and pauses and resumes them. */
@Singleton
class SchedulePages {

  private static final String HOME = "/schedules";
  private static final int NEXT_RUNS = 3;

  /** More do not fit on a page. */
  private static final int MOST = 200;

  private final DashboardPool pool;
  private final Views views;

  @Inject
  SchedulePages(DashboardPool pool, Views views) {
    this.pool = pool;
    this.views = views;
  }

  /** A schedule. */
  record Line(
      String name,
      String shown,
      String topic,
      String topicQuery,
      String when,
      @Nullable String words,
      String zone,
      List<Texts.Moment> next,
      Texts.@Nullable Moment last,
      boolean paused,
      boolean overridden,
      @Nullable String fault) {

    static Line of(ScheduleDetails schedule) {
      ScheduleDetails.Clock clock = schedule.clock();
      String cron = clock.cron();
      Duration every = clock.every();
      String fault = schedule.fault();
      ZoneId zone = cron == null ? null : zone(clock.zone());
      Instant last = schedule.standing().lastAt();
      return new Line(
          schedule.name(),
          OverviewPages.shown(schedule.name()),
          OverviewPages.shown(schedule.message().topic()),
          OverviewPages.encoded(schedule.message().topic()),
          Texts.visible(when(cron, every)),
          cron == null ? null : CronSyntax.words(cron).orElse(null),
          cron == null ? "–" : Texts.visible(clock.zone()),
          schedule.next().stream().map(at -> Texts.Moment.of(at, zone)).toList(),
          last == null ? null : Texts.Moment.of(last, zone),
          schedule.standing().paused(),
          schedule.standing().overridden(),
          fault == null ? null : Texts.visible(fault));
    }

    /** Returns null for an unknown zone, which is the schedule's fault. */
    private static @Nullable ZoneId zone(String id) {
      try {
        return ZoneId.of(id);
      } catch (DateTimeException e) {
        return null;
      }
    }

    private static String when(@Nullable String cron, @Nullable Duration every) {
      if (cron == null && every != null) {
        return "every " + Humanize.duration(every);
      }
      return Objects.requireNonNullElse(cron, "never");
    }
  }

  private Schedules schedules() {
    return new JooqSchedules(pool.transactions());
  }

  Reply list(Call call) {
    String topic = call.query().topic();
    String part = call.query().text("name");
    List<ScheduleDetails> all =
        schedules().list(NEXT_RUNS).stream()
            .filter(one -> topic.isEmpty() || one.message().topic().equals(topic))
            .filter(one -> one.name().contains(part))
            .toList();
    Map<String, Object> model = new HashMap<>();
    model.put("schedules", all.stream().limit(MOST).map(Line::of).toList());
    model.put("none", all.isEmpty());
    model.put("cut", all.size() > MOST ? Texts.number(all.size()) : null);
    model.put("part", part);
    model.put("topic", topic);
    return views.show(call, new Views.Page("Schedules", "schedules", false, model));
  }

  Reply change(Call call) {
    String name = call.form().raw("name");
    String what = call.form().text("do");
    Schedules schedules = schedules();
    boolean found;
    try {
      found =
          switch (what) {
            case "run" -> schedules.runNow(name);
            case "pause" -> schedules.pause(name);
            case "resume" -> schedules.resume(name);
            default -> throw new Refusal(400, "Unknown action.");
          };
    } catch (InvalidScheduleException e) {
      throw new Refusal(409, String.valueOf(e.getMessage()));
    }
    if (!found) {
      throw new Refusal(404, "This schedule does not exist any more.");
    }
    Audit.write(call.who(), "schedule." + what, name, "done");
    return views.done(call, HOME, "Schedule " + OverviewPages.shown(name) + " " + done(what));
  }

  private static String done(String what) {
    return switch (what) {
      case "run" -> "was run: its message is enqueued. The next runs are unchanged.";
      case "pause" -> "is paused.";
      default -> "is resumed.";
    };
  }
}
