package io.rowqueue.internal.reap;

import java.time.Instant;

/**
 * Tells one run of one server from every other. A lock that a worker took tells of its life only on
 * the server, and in the run of it, on which it was taken.
 *
 * @param identity MySQL's server_uuid; MariaDB's host and port
 * @param startedAt when the server started, by its own clock, to the second
 */
public record ServerIncarnation(String identity, Instant startedAt) {}
