package io.rowqueue.operate;

import java.time.Instant;

/**
 * A request to cancel a message that was claimed at the time of the request.
 *
 * @param requestedAt when, by the database's clock
 * @param requestedBy the requester, as given by the caller
 */
public record CancelRequest(Instant requestedAt, String requestedBy) {}
