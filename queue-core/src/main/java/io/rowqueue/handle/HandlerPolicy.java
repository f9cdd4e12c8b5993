package io.rowqueue.handle;

import io.rowqueue.message.PayloadCodec;
import java.time.Duration;

/**
 * The settings that hold for one binding, nothing left open.
 *
 * @param retryPolicy the wait between attempts
 * @param maxAttempts failed attempts until a dead letter, at least 1
 * @param timeout the longest that one handling may take
 * @param maxThreads the most handlings at once in one worker
 * @param transactional whether the handler runs in the transaction that deletes its message
 * @param grouping how many messages one thread takes on together
 * @param codec decodes the payload
 */
public record HandlerPolicy(
    RetryPolicy retryPolicy,
    int maxAttempts,
    Duration timeout,
    int maxThreads,
    boolean transactional,
    Grouping grouping,
    PayloadCodec codec) {}
