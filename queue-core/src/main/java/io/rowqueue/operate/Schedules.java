package io.rowqueue.operate;

import io.rowqueue.handler.Schedule;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * What comes by the clock, as operators and services see and change it. Thread-safe.
 *
 * <p>Of the two who can say what a schedule is, code and operators, the operators have the last
 * word: what {@link #override} has set stays through every start of a worker until {@link #reset}.
 *
 * <p>Every method throws {@link io.rowqueue.QueueException} if the database fails after every
 * repetition; those that take a transaction of the caller's throw jOOQ's own exception instead.
 */
public interface Schedules {

  /** The most firings that are looked ahead at once. */
  int MOST_FIRINGS = 1_000;

  /**
   * Adds {@code schedule}, or changes the one of its name, in {@code transaction}; its pause stays,
   * and its next firing too unless expression, zone or rate differ. Holds the schedule's row until
   * that commits; no worker waits for it.
   *
   * @throws InvalidScheduleException if it enqueues nothing, or never fires
   * @throws io.rowqueue.InvalidMessageException if its message exceeds the limits, counted with the
   *     headers that a firing adds
   * @throws io.rowqueue.PayloadException if its payload cannot be encoded
   * @throws io.rowqueue.operate.RefusedException if a worker has it in its code; nothing has
   *     changed
   * @throws IllegalStateException if it is in no transaction (the connection commits by itself)
   */
  void set(DSLContext transaction, Schedule schedule);

  /**
   * The same in the transaction of {@code transaction}, which the caller commits: a plain JDBC
   * connection, or the one that Spring's or JPA's transaction holds.
   */
  void set(Connection transaction, Schedule schedule);

  /** The same in a transaction of its own. */
  void set(Schedule schedule);

  /**
   * Sets {@code schedule} whoever declares it, and marks it: starts of workers leave it as it is
   * from now on. Throws what {@link #set(Schedule)} throws, but is never refused.
   */
  void override(Schedule schedule);

  /**
   * Sets {@code schedule} as a worker's start does that has it in its code. An override stays.
   * Throws what {@link #set(Schedule)} throws, but is never refused.
   *
   * @return whether it was taken; false if an operator has overridden it
   */
  boolean declare(Schedule schedule);

  /**
   * Notes that a worker still has the schedule in its code, as {@link #declare} does, and changes
   * nothing else of it: what others have set since stays.
   *
   * @return false if there is no such schedule
   */
  boolean keepDeclared(String name);

  /**
   * Takes an override back: the next start of a worker that has it in its code sets it again.
   *
   * @return false if there is no such schedule
   */
  boolean reset(String name);

  /**
   * All of them by name, each with at most {@code firings} of its next firings.
   *
   * @param firings 0 to {@value #MOST_FIRINGS}
   */
  List<ScheduleDetails> list(int firings);

  /**
   * The one of that name; empty if there is none.
   *
   * @param firings how many of its next firings, 0 to {@value #MOST_FIRINGS}
   */
  Optional<ScheduleDetails> find(String name, int firings);

  /**
   * The next firings of {@code name}, as if it were not paused; the first may have passed, if
   * nobody has fired it yet.
   *
   * @param count the most, 0 to {@value #MOST_FIRINGS}
   * @throws io.rowqueue.operate.RefusedException if there is no such schedule
   * @throws InvalidScheduleException if this JVM cannot read it
   */
  List<Instant> next(String name, int count);

  /** Stops its firings; a firing under way comes first. False if there is no such schedule. */
  boolean pause(String name);

  /** Lets it fire again; its policy decides about what the pause took. False if there is none. */
  boolean resume(String name);

  /**
   * Removes it; messages that it has enqueued stay. The next start of a worker that has it in its
   * code sets it again.
   *
   * @return false if there is no such schedule
   */
  boolean remove(String name);

  /**
   * Enqueues its message now, as a firing of this moment, and leaves the schedule as it is.
   *
   * @return false if there is no such schedule
   * @throws InvalidScheduleException if this JVM cannot read it
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     the message is in the queue, or not
   */
  boolean runNow(String name);

  /**
   * The same, but it wraps the payloads of what it sets as {@code wrapping} says, for the topic
   * that they will be enqueued to. They are wrapped when they are set: whoever fires them needs no
   * keys, and none rests unsealed in the schedule's row.
   */
  Schedules wrapping(Wrapping wrapping);
}
