package io.rowqueue.handler;

/**
 * One message of a batch.
 *
 * @param payload the decoded payload
 * @param context the message's own id, attempt, headers and idempotency key; the transaction is
 *     shared by the whole batch
 * @param <P> the payload's type
 */
public record Delivery<P>(P payload, HandlerContext context) {}
