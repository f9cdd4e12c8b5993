package io.rowqueue.operate;

import io.rowqueue.handler.Schedule;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Schedules, for operators and services. Thread-safe.
 *
 * <p>A schedule may be set by code and by operators, and operators have precedence: a schedule set
 * by {@link #override} is not changed by starting workers until {@link #reset}.
 *
 * <p>Every method throws {@link io.rowqueue.QueueException} if the database still fails after all
 * retries; methods with a transaction of the caller throw jOOQ's own exception instead.
 */
public interface Schedules {

  /** The maximum number of next runs that are listed. */
  int MAX_NEXT_RUNS = 1_000;

  /**
   * Adds {@code schedule}, or changes the one with its name, in {@code transaction}. A pause is
   * kept, and so is the next run unless the cron expression, zone or interval differs. Locks the
   * schedule's row until the commit; workers do not wait for it.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never runs
   * @throws io.rowqueue.InvalidMessageException if its message exceeds the limits, including the
   *     headers that a run adds
   * @throws io.rowqueue.PayloadException if its payload cannot be encoded
   * @throws io.rowqueue.operate.RefusedException if a worker's code declares it; nothing has
   *     changed
   * @throws IllegalStateException if there is no transaction (auto-commit is on)
   */
  void set(Connection transaction, Schedule schedule);

  /** Like {@link #set(Connection, Schedule)}, in a transaction of its own. */
  void set(Schedule schedule);

  /**
   * Sets {@code schedule} even if code declares it, and marks it as overridden: starting workers no
   * longer change it. Throws the exceptions of {@link #set(Schedule)} except the refusal.
   */
  void override(Schedule schedule);

  /**
   * Sets {@code schedule} like a starting worker whose code declares it. An override is kept.
   * Throws the exceptions of {@link #set(Schedule)} except the refusal.
   *
   * @return whether it was set; false if an operator has overridden it
   */
  boolean declare(Schedule schedule);

  /**
   * Records that a worker's code still declares the schedule, like {@link #declare}, and changes
   * nothing else: changes made since are kept.
   *
   * @return false if there is no such schedule
   */
  boolean keepDeclared(String name);

  /**
   * Removes an override: the next start of a worker whose code declares the schedule sets it again.
   *
   * @return false if there is no such schedule
   */
  boolean reset(String name);

  /**
   * All schedules by name, each with at most {@code firings} of its next runs.
   *
   * @param nextRuns 0 to {@value #MAX_NEXT_RUNS}
   */
  List<ScheduleDetails> list(int nextRuns);

  /**
   * The schedule of that name; empty if there is none.
   *
   * @param nextRuns how many of its next runs, 0 to {@value #MAX_NEXT_RUNS}
   */
  Optional<ScheduleDetails> find(String name, int nextRuns);

  /**
   * The next runs of {@code name}, as if it were not paused; the first may be in the past if no
   * worker has triggered it yet.
   *
   * @param count the maximum number, 0 to {@value #MAX_NEXT_RUNS}
   * @throws io.rowqueue.operate.RefusedException if there is no such schedule
   * @throws InvalidScheduleException if this JVM cannot read it
   */
  List<Instant> next(String name, int count);

  /** Pauses it, after a run that is in progress. False if there is no such schedule. */
  boolean pause(String name);

  /**
   * Resumes it; its policy decides about the runs missed during the pause. False if there is none.
   */
  boolean resume(String name);

  /**
   * Removes it; messages that it has enqueued are kept. The next start of a worker whose code
   * declares it sets it again.
   *
   * @return false if there is no such schedule
   */
  boolean remove(String name);

  /**
   * Enqueues its message now, as a run at this time, and leaves the schedule unchanged.
   *
   * @return false if there is no such schedule
   * @throws InvalidScheduleException if this JVM cannot read it
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     the message may or may not be in the queue
   */
  boolean runNow(String name);

  /**
   * A copy that wraps payloads with {@code wrapping}, for the topics of their messages. Payloads
   * are wrapped when the schedule is set: the workers that trigger it need no keys, and no payload
   * is stored unencrypted in the schedule's row.
   */
  Schedules wrapping(Wrapping wrapping);
}
