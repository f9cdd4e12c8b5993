package io.rowqueue.internal.batch;

import org.jspecify.annotations.Nullable;

/**
 * A step of a chain, as the columns hold it.
 *
 * @param delayMicros from the ack of the previous step on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record NewStep(
    String topic, int priority, long delayMicros, @Nullable String headers, byte[] payload) {}
