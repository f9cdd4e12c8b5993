package io.rowqueue.internal.reap;

import java.time.Instant;

/**
 * Identifies one run of one server. A lock that a worker took proves that the worker is alive only
 * on that server and in that run of it.
 *
 * @param identity MySQL's server_uuid; MariaDB's host and port
 * @param startedAt when the server started, by its own clock, to the second
 */
public record ServerIncarnation(String identity, Instant startedAt) {}
