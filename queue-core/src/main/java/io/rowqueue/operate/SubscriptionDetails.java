package io.rowqueue.operate;

/**
 * A subscription as its row is. Immutable.
 *
 * @param source what messages are published under
 * @param topic where the copies go
 * @param paused whether an operator has it get no copies for now
 */
public record SubscriptionDetails(String source, String topic, boolean paused) {}
