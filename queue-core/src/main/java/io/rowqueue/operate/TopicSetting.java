package io.rowqueue.operate;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has set for a topic.
 *
 * @param topic its name, as it stands in the table
 * @param paused whether its messages are left alone
 * @param keepDays for how many days copies of acknowledged messages stay; null if none are made
 */
public record TopicSetting(String topic, boolean paused, @Nullable Integer keepDays) {}
