package io.rowqueue.schedule;

import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;

/** What comes by the clock, as operators and services see and change it. Thread-safe. */
public interface Schedules {

  /**
   * Adds {@code schedule}, or changes the one of its name, in {@code transaction}; its pause stays,
   * and its next firing too unless expression, zone or rate differ. Holds the schedule's row until
   * that commits; nobody waits for it.
   *
   * @throws InvalidScheduleException if it enqueues nothing
   */
  void set(DSLContext transaction, Schedule schedule);

  /** The same in a transaction of its own. */
  void set(Schedule schedule);

  /**
   * The next firings of {@code name}, at most {@code count}, as if it were not paused.
   *
   * @throws InvalidScheduleException if there is no such schedule, or this JVM cannot read it
   */
  List<Instant> next(String name, int count);

  /** Stops its firings; a firing under way comes first. False if there is no such schedule. */
  boolean pause(String name);

  /** Lets it fire again; its policy decides about what the pause took. False if there is none. */
  boolean resume(String name);

  /** Removes it; messages that it has enqueued stay. False if there is none. */
  boolean remove(String name);

  /**
   * Enqueues its message now and leaves the schedule as it is.
   *
   * @return false if there is no such schedule
   */
  boolean runNow(String name);
}
