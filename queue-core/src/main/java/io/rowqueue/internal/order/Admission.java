package io.rowqueue.internal.order;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Admits messages with ordering keys to their groups, and makes the first message of each free
 * group available. Any worker may run it at any time, several at once: each skips rows that another
 * has locked. Thread-safe, though it is meant for one thread per worker.
 */
public interface Admission {

  /**
   * Queries that run with an idle worker's poll: whether ordering keys are in use, whether a group
   * needs a release, and whether a key limit has changed. {@link #admit} does nothing before it has
   * their answers.
   */
  List<PiggybackQuery> questions();

  /**
   * Admits up to some hundred arrived messages if ordering keys are in use, and resumes groups that
   * need a release.
   *
   * @return how many messages changed their state; more than 0 means that there may be more
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  int admit();

  /**
   * Scheduled messages have become due, perhaps with ordering keys, so the next {@link #admit}
   * reads them in any case. If all messages with keys have delays, no query reports that keys are
   * in use.
   */
  void promoted();

  /** How long until a group with a rate may continue, {@code longest} at most. */
  Duration wait(Duration longest);

  /**
   * Marks the groups that may admit more messages because their topic's limit per key has changed.
   * {@link #admit} does so when a query has reported a change.
   *
   * @return how many groups it has marked
   */
  int applyLimits();

  /** Like {@link #admit}, whatever the queries have reported. */
  int admitNow();

  /** Returns why the database has refused rows that are left out for now. */
  default Optional<QueueException> refusal() {
    return Optional.empty();
  }
}
