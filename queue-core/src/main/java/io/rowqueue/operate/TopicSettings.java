package io.rowqueue.operate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What operators may set for a topic in the whole cluster. Each is null if it is not set. Change it
 * with {@link Topics#change}, which checks the values.
 *
 * @param retentionDays a copy of each acknowledged message is archived for so many days after the
 *     day of its acknowledgement, in UTC, 1 to 36,500; null for no copies, and those that exist are
 *     pruned
 * @param maxInFlight at most so many handlings run at once, 1 to 1,000; those that run already may
 *     finish. A batch, and messages that share a commit, are one handling
 * @param maxPerSecond at most so many messages are begun in a second, 1 to 1,000,000, and a tenth
 *     more after a pause. A retry is begun, too
 * @param keyInFlight at most so many messages with one ordering key are handled at once, 1 to
 *     1,000, and begin in order; null for one after the other. With more than one, a message that
 *     waits for another attempt admits the next, and a dead letter blocks none
 * @param keyPerSecond at most so many messages with one ordering key are admitted in a second, 1 to
 *     1,000,000, and a tenth more after a pause
 * @param maxDepth the topic is overfull while more of its messages wait, at least 1, and, where
 *     {@code maxAge} is set, the oldest waits for too long. That alone refuses no message
 * @param maxAge the topic is overfull while its oldest message has waited for longer, 1 second to
 *     ten years in whole seconds, and, where {@code maxDepth} is set, too many wait
 */
public record TopicSettings(
    @Nullable Integer retentionDays,
    @Nullable Integer maxInFlight,
    @Nullable Integer maxPerSecond,
    @Nullable Integer keyInFlight,
    @Nullable Integer keyPerSecond,
    @Nullable Long maxDepth,
    @Nullable Duration maxAge) {

  /** Nothing is set. */
  public static final TopicSettings NONE =
      new TopicSettings(null, null, null, null, null, null, null);

  /** These, but for {@link #retentionDays}. */
  public TopicSettings withRetentionDays(@Nullable Integer days) {
    return new TopicSettings(
        days, maxInFlight, maxPerSecond, keyInFlight, keyPerSecond, maxDepth, maxAge);
  }

  /** These, but for {@link #maxInFlight}. */
  public TopicSettings withMaxInFlight(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, most, maxPerSecond, keyInFlight, keyPerSecond, maxDepth, maxAge);
  }

  /** These, but for {@link #maxPerSecond}. */
  public TopicSettings withMaxPerSecond(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, most, keyInFlight, keyPerSecond, maxDepth, maxAge);
  }

  /** These, but for {@link #keyInFlight}. */
  public TopicSettings withKeyInFlight(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, most, keyPerSecond, maxDepth, maxAge);
  }

  /** These, but for {@link #keyPerSecond}. */
  public TopicSettings withKeyPerSecond(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, keyInFlight, most, maxDepth, maxAge);
  }

  /** These, but for {@link #maxDepth}. */
  public TopicSettings withMaxDepth(@Nullable Long most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, keyInFlight, keyPerSecond, most, maxAge);
  }

  /** These, but for {@link #maxAge}. */
  public TopicSettings withMaxAge(@Nullable Duration longest) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, keyInFlight, keyPerSecond, maxDepth, longest);
  }

  /** When the topic is overfull. */
  public DepthLimit depthLimit() {
    return new DepthLimit(maxDepth, maxAge);
  }
}
