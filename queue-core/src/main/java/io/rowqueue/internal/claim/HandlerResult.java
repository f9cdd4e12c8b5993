package io.rowqueue.internal.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A handler's result, as the columns hold it; written when its message is acked.
 *
 * @param headers how {@code content} is wrapped; null if it is not
 * @param content encoded; null if the handler returned null
 * @param keepFor from the ack on, by the database's clock
 * @param waiter the process that awaits it, from the message's headers; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HandlerResult(
    @Nullable String headers,
    byte @Nullable [] content,
    Duration keepFor,
    @Nullable String waiter) {}
