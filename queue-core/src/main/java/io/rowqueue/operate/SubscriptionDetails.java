package io.rowqueue.operate;

/**
 * A subscription as stored in its row. Immutable.
 *
 * @param source the name under which messages are published
 * @param topic the topic that gets the copies
 * @param paused whether an operator has paused it, so that it gets no copies
 */
public record SubscriptionDetails(String source, String topic, boolean paused) {}
