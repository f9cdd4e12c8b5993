package io.rowqueue.operate;

import java.time.Instant;

/**
 * A failed attempt of a message or a dead letter.
 *
 * @param attempt its number, 1 for the first
 * @param claimNumber the claim under which it ran
 * @param worker the lock_id of the worker that ran it
 * @param failedAt when it failed, by the database's clock
 * @param errorClass the exception's class
 * @param errorMessage the exception's message
 * @param trace the truncated stack trace
 */
public record FailedAttempt(
    int attempt,
    int claimNumber,
    String worker,
    Instant failedAt,
    String errorClass,
    String errorMessage,
    String trace) {}
