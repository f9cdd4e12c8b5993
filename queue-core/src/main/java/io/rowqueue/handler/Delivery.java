package io.rowqueue.handler;

/**
 * One message of a batch.
 *
 * @param payload what the codec decoded
 * @param context the message's own id, attempt, headers and idempotency key; the transaction is the
 *     same for all of a batch
 * @param <P> the payload's type
 */
public record Delivery<P>(P payload, HandlerContext context) {}
