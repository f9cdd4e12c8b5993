package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Timetable;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The books of schedules that make up once for what was missed, or leave it out: a trigger notes in
 * the firing's own transaction how it moves its schedule on, and the handler for which moment it
 * was. Somebody pauses all of them now and then, so that there is something to be missed without a
 * fault. Moments are microseconds by the server's clock. Thread-safe, but for pausing and resuming.
 */
final class ScheduleLedger implements Books {

  private static final List<String> KINDS =
      List.of(Timetable.SECOND_ONCE, Timetable.CRON_ONCE, Timetable.CRON_SKIP);

  private static final String SKIPS = "LIKE '%s%%'".formatted(Timetable.CRON_SKIP);

  private static final long GRACE_MICROS = TimeUnit.NANOSECONDS.toMicros(Timetable.GRACE.toNanos());

  /** Of the second, more than one; and one that is too late by half a second. */
  private static final String MISSED =
      "SELECT COUNT(*) FROM queue_schedule s JOIN queue_schedule t WHERE s.name = '%s'"
              .formatted(Timetable.SECOND_ONCE)
          + " AND s.next_at < UTC_TIMESTAMP(6) - INTERVAL 2500 * 1000 MICROSECOND AND t.name "
          + SKIPS
          + " AND t.next_at < UTC_TIMESTAMP(6) - INTERVAL %d MICROSECOND"
              .formatted(GRACE_MICROS + 500_000);

  private static final String MADE_UP =
      "SELECT COUNT(*) FROM advance WHERE fired = 1 AND moment > due";

  private static final String LEFT_OUT = "SELECT COUNT(*) FROM advance WHERE fired = 0";

  private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);
  private static final long MINUTE_MICROS = TimeUnit.MINUTES.toMicros(1);

  private static final int LEAST_PAUSE_MILLIS = 500;
  private static final int MOST_PAUSE_MILLIS = 3_500;
  private static final long BETWEEN_LOOKS_MILLIS = 100;
  private static final Duration LONGEST_OUTAGE = Duration.ofSeconds(20);

  private final QueueDatabase database;
  private final Schedules schedules;

  /** Confined to whoever pauses; null while they fire, or if it is not known whether they do. */
  private @Nullable Long pausedAt;

  ScheduleLedger(QueueDatabase database) {
    this.database = database;
    this.schedules = Schedules.of(Transactions.on(database.dataSource()));
    String name = "schedule VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";
    database.execute(
        "CREATE TABLE firing (%s, moment BIGINT NOT NULL, PRIMARY KEY (schedule, moment))"
            .formatted(name),
        "CREATE TABLE advance (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, %s,".formatted(name)
            + " due BIGINT NOT NULL, moment BIGINT NULL, next_moment BIGINT NOT NULL,"
            + " moved_at BIGINT NOT NULL, fired TINYINT NOT NULL)",
        "CREATE TABLE schedule_pause (from_at BIGINT NOT NULL, until_at BIGINT NOT NULL)",
        trigger());
  }

  /** Who sets a schedule moves it, too, from where it has not been reckoned yet. */
  private static String trigger() {
    return """
    CREATE TRIGGER schedule_moves AFTER UPDATE ON queue_schedule FOR EACH ROW
    INSERT INTO advance (schedule, due, moment, next_moment, moved_at, fired)
    SELECT NEW.name, %s, %s, %s, %s, NOT (NEW.last_at <=> OLD.last_at)
    FROM DUAL WHERE NEW.next_at <> OLD.next_at AND OLD.next_at > '1970-01-01'
      AND NEW.topic = '%s'
    """
        .formatted(
            micros("OLD.next_at"),
            micros("NEW.last_at"),
            micros("NEW.next_at"),
            micros("UTC_TIMESTAMP(6)"),
            Deed.FIRED);
  }

  private static String micros(String time) {
    return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)".formatted(time);
  }

  private long now() {
    return database.count("SELECT " + micros("UTC_TIMESTAMP(6)"));
  }

  /** An outage of theirs. */
  void pauseForAWhile(RandomGenerator random) {
    try {
      stop();
      Pauses.between(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS, random);
    } finally {
      resume();
    }
  }

  /** No firing begins, once it returns. */
  void stop() {
    boolean all = true;
    for (Schedule schedule : Timetable.all()) {
      all &= schedules.pause(schedule.name());
    }
    pausedAt = all ? now() : null;
  }

  private void resume() {
    Long from = pausedAt;
    pausedAt = null;
    if (from != null) {
      database.execute("INSERT INTO schedule_pause VALUES (%d, %d)".formatted(from, now()));
    }
    Timetable.all().forEach(schedule -> schedules.resume(schedule.name()));
  }

  /**
   * What is broken, once the faults are over and while workers live; null if nothing is. All have
   * been stopped, and something is missed before they go on.
   *
   * @param longest until when each kind must have fired
   */
  @Nullable String finding(Duration longest) {
    try {
      await("something is missed", LONGEST_OUTAGE, MISSED);
      String since = " AND moved_at > " + now();
      resume();
      long from = now();
      await("what was missed is made up for", longest, MADE_UP + since);
      await("what was missed is left out", longest, LEFT_OUT + since);
      for (String kind : KINDS) {
        await(kind + " fires", longest, of(kind) + " AND moment > " + from);
      }
      return null;
    } catch (AssertionError e) {
      return "the faults are over, and schedules do not fire: " + e.getMessage();
    } finally {
      stop();
      awaitHandled(longest);
    }
  }

  private static String of(String kind) {
    return "SELECT COUNT(*) FROM firing WHERE schedule LIKE '%s%%'".formatted(kind);
  }

  private void await(String what, Duration longest, String query) {
    long unused = Await.until(what, longest, () -> look(query), count -> count > 0);
  }

  /** Whatever stays is a firing that is missing, and found as that. */
  private void awaitHandled(Duration longest) {
    String left = "SELECT COUNT(*) FROM queue_message WHERE topic = '%s'".formatted(Deed.FIRED);
    try {
      long unused = Await.until("all is handled", longest, () -> look(left), count -> count == 0);
    } catch (AssertionError e) {
      // See above.
      return;
    }
  }

  private long look(String query) {
    Pauses.millis(BETWEEN_LOOKS_MILLIS);
    return database.count(query);
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(firedTwice());
    findings.addAll(firedApart());
    findings.addAll(madeUpWrong());
    findings.addAll(firedLate());
    findings.addAll(firedWhilePaused());
    return findings;
  }

  /** That each kind fires, makes up or leaves out is what the end of each run awaits. */
  @Override
  public List<String> unused() {
    return Books.unusedIf(database, "paused schedules", "SELECT COUNT(*) FROM schedule_pause");
  }

  /** The primary key sees to it that none is handled twice. */
  private List<String> firedTwice() {
    return database.strings(
        "SELECT CONCAT(schedule, ' fired ', COUNT(*), ' times for ', moment) FROM advance"
            + " WHERE fired = 1 GROUP BY schedule, moment HAVING COUNT(*) > 1");
  }

  /** The message and the advance are of one transaction. */
  private List<String> firedApart() {
    return database.strings(
        "SELECT CONCAT(a.schedule, ' moved on from ', a.moment, ', and nothing came of it') FROM"
            + " (SELECT DISTINCT schedule, moment FROM advance WHERE fired = 1) a LEFT JOIN firing"
            + " f ON f.schedule = a.schedule AND f.moment = a.moment WHERE f.moment IS NULL"
            + " UNION ALL SELECT CONCAT(f.schedule, ' fired for ', f.moment, ', and did not move"
            + " on') FROM firing f LEFT JOIN advance a ON a.schedule = f.schedule"
            + " AND a.moment = f.moment AND a.fired = 1 WHERE a.moment IS NULL");
  }

  /**
   * What fires is the last before the next, whatever was missed before it; and one that makes up
   * leaves nothing out.
   */
  private List<String> madeUpWrong() {
    return database.strings(
        "SELECT CONCAT(schedule, ' fired for ', moment, ', and is to fire again at ', next_moment)"
            + " FROM advance WHERE fired = 1 AND next_moment - moment <> IF(schedule = '%s', %d, %d)"
                .formatted(Timetable.SECOND_ONCE, SECOND_MICROS, MINUTE_MICROS)
            + " UNION ALL SELECT CONCAT(schedule, ' was due at ', due, ' and left it out')"
            + " FROM advance WHERE fired = 0 AND NOT schedule "
            + SKIPS);
  }

  /** Its transaction began behind the pause, and what was missed by then stays so. */
  private List<String> firedLate() {
    return database.strings(
        "SELECT CONCAT(a.schedule, ' was to leave out ', a.moment, ', and fired for it at ',"
            + " a.moved_at) FROM advance a WHERE a.fired = 1 AND a.schedule "
            + SKIPS
            + " AND EXISTS (SELECT 1 FROM schedule_pause p WHERE a.moved_at > p.until_at"
            + " AND a.moment < p.until_at - %d)".formatted(GRACE_MICROS));
  }

  /** A pause waits for the firing that is under way. */
  private List<String> firedWhilePaused() {
    return database.strings(
        "SELECT CONCAT(a.schedule, ' was paused, and moved on at ', a.moved_at) FROM advance a"
            + " JOIN schedule_pause p ON a.moved_at > p.from_at AND a.moved_at < p.until_at");
  }
}
