package io.rowqueue.operate;

import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.MessageDetails.StoredBody;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as its row has it. Whoever writes rows by SQL can write anything, so each part may be
 * other than {@link Schedule} would let it be.
 *
 * @param name its name
 * @param clock when it fires
 * @param policy what happens to firings that were missed
 * @param standing whether it fires, and who says so
 * @param message what each firing enqueues
 * @param next its next firings, the soonest first, as if it were not paused; the first may have
 *     passed, if nobody has fired it yet. None if it never fires again, or has a fault
 * @param fault why this JVM cannot fire it; null if it can
 */
public record ScheduleDetails(
    String name,
    Clock clock,
    Policy policy,
    Standing standing,
    Message message,
    List<Instant> next,
    @Nullable String fault) {

  /** Copies the firings. */
  public ScheduleDetails {
    next = List.copyOf(next);
  }

  /**
   * Either an expression or a rate.
   *
   * @param cron a crontab line; null for a rate
   * @param zone where the expression is read, by its id
   * @param every the rate; null for an expression
   */
  public record Clock(@Nullable String cron, String zone, @Nullable Duration every) {}

  /**
   * What happens to firings for which no worker was there.
   *
   * @param missed null if the row has none of the three
   * @param grace for {@link MisfirePolicy#SKIP}: a firing that is later than this counts as missed
   */
  public record Policy(@Nullable MisfirePolicy missed, Duration grace) {}

  /**
   * Whether it fires, and who says so.
   *
   * @param paused whether it is left out
   * @param overridden whether an operator has changed what code declares
   * @param lastAt the time that the last firing stood for; null if there was none
   * @param declaredAt when a worker that has it in its code has said so last, as each does at its
   *     start and every six hours; null if none has
   */
  public record Standing(
      boolean paused, boolean overridden, @Nullable Instant lastAt, @Nullable Instant declaredAt) {}

  /**
   * What each firing enqueues.
   *
   * @param topic where it goes
   * @param priority lower is sooner
   * @param body payload, and headers without those that a firing adds
   */
  public record Message(String topic, int priority, StoredBody body) {}
}
