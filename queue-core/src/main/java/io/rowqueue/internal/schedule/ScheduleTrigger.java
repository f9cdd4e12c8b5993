package io.rowqueue.internal.schedule;

import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What workers do with schedules: any of them fires what is due, whoever has set it. Thread-safe.
 *
 * <p>A schedule that cannot be fired keeps no other from it, and is left to other workers for a
 * while: for a minute if this process cannot read it, for a second if the database refuses its
 * message. Neither the question nor the looks see it until then.
 */
public interface ScheduleTrigger {

  /**
   * How long until the next firing, answered on the side of another read: zero or less if one is
   * due, empty if nothing fires.
   */
  PiggybackQuery question(Consumer<Optional<Duration>> untilNext);

  /**
   * The same in a read of its own.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if it cannot be read
   */
  Optional<Duration> untilNext();

  /**
   * Fires what is due and nobody else is just firing or changing, at most a hundred schedules, the
   * longest due first. Each is a transaction of its own.
   *
   * @return how many moved on; those that have missed much may be due still
   * @throws io.rowqueue.QueueException if the database fails for all of them alike
   */
  int triggerDue();
}
