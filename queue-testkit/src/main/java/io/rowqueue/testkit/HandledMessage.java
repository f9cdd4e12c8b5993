package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.handler.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link TestWorker} has had in hand.
 *
 * @param id the message
 * @param topic where it was enqueued
 * @param attempt 1 for the first
 * @param outcome how it ended; null if the worker crashed over it
 */
public record HandledMessage(MessageId id, String topic, int attempt, @Nullable Outcome outcome) {}
