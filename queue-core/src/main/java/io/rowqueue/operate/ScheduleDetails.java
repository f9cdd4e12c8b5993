package io.rowqueue.operate;

import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.MessageDetails.StoredBody;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as stored in its row. Plain SQL may write any values, so each part may differ from the
 * rules of {@link Schedule}.
 *
 * @param name its name
 * @param clock when it runs
 * @param policy the policy for missed runs
 * @param standing whether it runs, and who has set it
 * @param message the message that each run enqueues
 * @param next its next runs, the soonest first, as if it were not paused; the first may be in the
 *     past if no worker has triggered it yet. Empty if it never runs again, or has a fault
 * @param fault why this JVM cannot run it; null if it can
 */
public record ScheduleDetails(
    String name,
    Clock clock,
    Policy policy,
    Standing standing,
    Message message,
    List<Instant> next,
    @Nullable String fault) {

  /** Copies the runs. */
  public ScheduleDetails {
    next = List.copyOf(next);
  }

  /**
   * Either a cron expression or an interval.
   *
   * @param cron the cron expression; null for an interval
   * @param zone the time zone of the cron expression, by its id
   * @param every the interval; null for a cron expression
   */
  public record Clock(@Nullable String cron, String zone, @Nullable Duration every) {}

  /**
   * The policy for missed runs.
   *
   * @param missed null if the row has an invalid value
   * @param grace for {@link MisfirePolicy#SKIP}: a run that is later than this counts as missed
   */
  public record Policy(@Nullable MisfirePolicy missed, Duration grace) {}

  /**
   * Whether it runs, and who has set it.
   *
   * @param paused whether it is paused
   * @param overridden whether an operator has changed what the code declares
   * @param lastAt the scheduled time of the last run; null if there was none
   * @param declaredAt when a worker that declares it has last confirmed that, which each does at
   *     its start and every six hours; null if none has
   */
  public record Standing(
      boolean paused, boolean overridden, @Nullable Instant lastAt, @Nullable Instant declaredAt) {}

  /**
   * The message that each run enqueues.
   *
   * @param topic its topic
   * @param priority lower is claimed first
   * @param body payload, and headers without those that a run adds
   */
  public record Message(String topic, int priority, StoredBody body) {}
}
