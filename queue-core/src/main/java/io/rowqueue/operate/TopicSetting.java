package io.rowqueue.operate;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has set for a topic.
 *
 * @param topic its name, as it stands in the table
 * @param paused whether its messages are left alone
 * @param retentionDays for how many days copies of acknowledged messages stay; null if none are
 *     made
 * @param limits what holds for it in the whole cluster
 * @param keyLimits what holds for each of its ordering keys
 * @param depth from when on it is overfull
 * @param full whether it was found so last
 * @param onDeadLetter what becomes of those in line behind a dead letter
 */
public record TopicSetting(
    String topic,
    boolean paused,
    @Nullable Integer retentionDays,
    TopicLimits limits,
    KeyLimits keyLimits,
    DepthLimit depth,
    boolean full,
    DeadLetterPolicy onDeadLetter) {

  /** Of a topic that nothing is set for. */
  public static TopicSetting none(String topic) {
    return new TopicSetting(
        topic,
        false,
        null,
        TopicLimits.NONE,
        KeyLimits.NONE,
        DepthLimit.NONE,
        false,
        DeadLetterPolicy.BLOCK);
  }
}
