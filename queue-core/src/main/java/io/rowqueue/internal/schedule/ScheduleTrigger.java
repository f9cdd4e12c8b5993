package io.rowqueue.internal.schedule;

import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Triggers due schedules. Any worker triggers any schedule, whether or not it declared it.
 * Thread-safe.
 *
 * <p>A schedule that fails does not block the others. This worker skips it for a minute if it
 * cannot read the row, and for a second if the database refuses the message; until then no query of
 * this worker returns it. Other workers still try.
 */
public interface ScheduleTrigger {

  /**
   * How long until the next run, answered together with another read: zero or less if one is due,
   * empty if nothing runs.
   */
  PiggybackQuery question(Consumer<Optional<Duration>> untilNext);

  /**
   * How long until the next run, in a read of its own.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it cannot be read
   */
  Optional<Duration> untilNext();

  /**
   * Triggers due schedules that no other transaction has locked, at most a hundred, the longest due
   * first. Each has its own transaction.
   *
   * @return how many were triggered; schedules with many missed runs may still be due
   * @throws io.rowqueue.QueueException if the database is unavailable, or fails in a transient way
   *     for all of them
   */
  int triggerDue();
}
