package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.handler.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a {@link TestWorker}.
 *
 * @param id the message
 * @param topic its topic
 * @param attempt 1 for the first
 * @param outcome its outcome; null if the worker crashed
 */
public record HandledMessage(MessageId id, String topic, int attempt, @Nullable Outcome outcome) {}
