package io.rowqueue.worker.internal.observe;

import java.time.Instant;

/**
 * A worker not declared dead, with the details of the workers list.
 *
 * @param status its status
 * @param startedAt when it registered its lock_id
 * @param draining whether an operator requested a drain
 */
public record ListedWorker(
    WorkerStatus status, Instant startedAt, boolean draining, boolean paused) {}
