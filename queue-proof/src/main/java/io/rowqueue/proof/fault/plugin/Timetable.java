package io.rowqueue.proof.fault.plugin;

import io.rowqueue.message.NewMessage;
import io.rowqueue.schedule.Missed;
import io.rowqueue.schedule.Schedule;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The schedules that make up once for what was missed, or leave it out. */
public final class Timetable {

  /** Fires each second, and makes up once for what was missed. */
  public static final String SECOND_ONCE = "fault.second.once";

  /** What the names of those begin with that fire each minute, and do the same. */
  public static final String CRON_ONCE = "fault.cron.once.";

  /** What the names of those begin with that fire each minute, and leave out what was missed. */
  public static final String CRON_SKIP = "fault.cron.skip.";

  /** Those of {@link #CRON_SKIP} have missed what is later than this. */
  public static final Duration GRACE = Duration.ofSeconds(1);

  private static final int SECONDS_OF_A_MINUTE = 60;
  private static final int SECONDS_APART = 4;

  private Timetable() {}

  /** All of them. */
  public static List<Schedule> all() {
    List<Schedule> all = new ArrayList<>();
    all.add(fires(Schedule.every(SECOND_ONCE, Duration.ofSeconds(1))).whenMissed(Missed.ONCE));
    for (int second = 0; second < SECONDS_OF_A_MINUTE; second += SECONDS_APART) {
      all.add(eachMinute(CRON_ONCE, second).whenMissed(Missed.ONCE));
      all.add(eachMinute(CRON_SKIP, second).whenMissed(Missed.SKIP).withGrace(GRACE));
    }
    return all;
  }

  /**
   * An expression knows no seconds, and a run may last less than a minute: so there is one for
   * every few seconds, each in a zone whose minutes begin then.
   */
  private static Schedule eachMinute(String prefix, int second) {
    ZoneOffset zone = ZoneOffset.ofHoursMinutesSeconds(0, 0, second);
    return fires(Schedule.cron(prefix + second, "* * * * *", zone));
  }

  private static Schedule fires(Schedule schedule) {
    return schedule.enqueues(NewMessage.of(Deed.FIRED, ""));
  }
}
