package io.rowqueue.operate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits and retention of a topic, for all workers together. Each is null if it is not set. Change
 * them with {@link Topics#change}, which checks the values.
 *
 * @param retentionDays days that a copy of each acknowledged message is archived after the day of
 *     its acknowledgement, in UTC, 1 to 36,500; null for no copies, and existing ones are pruned
 * @param maxInFlight maximum number of concurrent handler calls, 1 to 1,000. Running calls finish
 *     when it is lowered. A batch counts once, and so do messages that share a commit
 * @param maxPerSecond maximum number of messages started per second, 1 to 1,000,000, and a tenth
 *     more after a pause. Retries count
 * @param keyInFlight maximum number of messages handled concurrently per ordering key, 1 to 1,000;
 *     they start in order. Null for one at a time. Above one, a message that waits for a retry
 *     admits the next, and a dead letter blocks no message
 * @param keyPerSecond maximum number of messages admitted per second and ordering key, 1 to
 *     1,000,000, and a tenth more after a pause
 * @param weight relative share of each worker's threads while several topics have messages, 1 to
 *     1,000, instead of the worker's own setting
 * @param maxDepth maximum number of waiting messages of the back-pressure limit, at least 1; see
 *     {@link DepthLimit}. It rejects no message by itself: producers opt in
 * @param maxAge maximum wait of the oldest message of the back-pressure limit, 1 second to ten
 *     years in whole seconds
 */
public record TopicSettings(
    @Nullable Integer retentionDays,
    @Nullable Integer maxInFlight,
    @Nullable Integer maxPerSecond,
    @Nullable Integer keyInFlight,
    @Nullable Integer keyPerSecond,
    @Nullable Integer weight,
    @Nullable Long maxDepth,
    @Nullable Duration maxAge) {

  /** No setting. */
  public static final TopicSettings NONE =
      new TopicSettings(null, null, null, null, null, null, null, null);

  /** Copies these settings with another {@link #retentionDays}; null to unset it. */
  public TopicSettings withRetentionDays(@Nullable Integer days) {
    return new TopicSettings(
        days, maxInFlight, maxPerSecond, keyInFlight, keyPerSecond, weight, maxDepth, maxAge);
  }

  /** Copies these settings with another {@link #maxInFlight}; null to unset it. */
  public TopicSettings withMaxInFlight(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, most, maxPerSecond, keyInFlight, keyPerSecond, weight, maxDepth, maxAge);
  }

  /** Copies these settings with another {@link #maxPerSecond}; null to unset it. */
  public TopicSettings withMaxPerSecond(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, most, keyInFlight, keyPerSecond, weight, maxDepth, maxAge);
  }

  /** Copies these settings with another {@link #keyInFlight}; null to unset it. */
  public TopicSettings withKeyInFlight(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, most, keyPerSecond, weight, maxDepth, maxAge);
  }

  /** Copies these settings with another {@link #keyPerSecond}; null to unset it. */
  public TopicSettings withKeyPerSecond(@Nullable Integer most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, keyInFlight, most, weight, maxDepth, maxAge);
  }

  /** Copies these settings with another {@link #weight}; null to unset it. */
  public TopicSettings withWeight(@Nullable Integer share) {
    return new TopicSettings(
        retentionDays,
        maxInFlight,
        maxPerSecond,
        keyInFlight,
        keyPerSecond,
        share,
        maxDepth,
        maxAge);
  }

  /** Copies these settings with another {@link #maxDepth}; null to unset it. */
  public TopicSettings withMaxDepth(@Nullable Long most) {
    return new TopicSettings(
        retentionDays, maxInFlight, maxPerSecond, keyInFlight, keyPerSecond, weight, most, maxAge);
  }

  /** Copies these settings with another {@link #maxAge}; null to unset it. */
  public TopicSettings withMaxAge(@Nullable Duration longest) {
    return new TopicSettings(
        retentionDays,
        maxInFlight,
        maxPerSecond,
        keyInFlight,
        keyPerSecond,
        weight,
        maxDepth,
        longest);
  }

  /** The topic's back-pressure limit. */
  public DepthLimit depthLimit() {
    return new DepthLimit(maxDepth, maxAge);
  }
}
