package io.rowqueue.proof.fault.plugin;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The schedules that make up once for missed runs, or skip them. */
public final class Timetable {

  /** Runs each second, and makes up once for missed runs. */
  public static final String SECOND_ONCE = "fault.second.once";

  /** The prefix of the names of those that run each minute, and do the same. */
  public static final String CRON_ONCE = "fault.cron.once.";

  /** The prefix of the names of those that run each minute, and skip missed runs. */
  public static final String CRON_SKIP = "fault.cron.skip.";

  /** A run of {@link #CRON_SKIP} that is later than this is missed. */
  public static final Duration GRACE = Duration.ofSeconds(1);

  private static final int SECONDS_OF_A_MINUTE = 60;
  private static final int SECONDS_APART = 2;

  private Timetable() {}

  /** All of them. */
  public static List<Schedule> all() {
    List<Schedule> all = new ArrayList<>();
    all.add(
        schedule(Schedule.every(SECOND_ONCE, Duration.ofSeconds(1))).onMisfire(MisfirePolicy.ONCE));
    for (int second = 0; second < SECONDS_OF_A_MINUTE; second += SECONDS_APART) {
      all.add(eachMinute(CRON_ONCE, second).onMisfire(MisfirePolicy.ONCE));
      all.add(eachMinute(CRON_SKIP, second).onMisfire(MisfirePolicy.SKIP).withGrace(GRACE));
    }
    return all;
  }

  /**
   * An expression knows no seconds, and a run may last less than a minute: so there is one for
   * every few seconds, each in a zone whose minutes begin then.
   */
  private static Schedule eachMinute(String prefix, int second) {
    ZoneOffset zone = ZoneOffset.ofHoursMinutesSeconds(0, 0, second);
    return schedule(Schedule.cron(prefix + second, "* * * * *", zone));
  }

  private static Schedule schedule(Schedule schedule) {
    return schedule.enqueues(NewMessage.of(FaultTopics.SCHEDULED, ""));
  }
}
