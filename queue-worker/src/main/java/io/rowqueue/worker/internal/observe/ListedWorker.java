package io.rowqueue.worker.internal.observe;

import java.time.Instant;

/**
 * One worker that nobody has declared dead, with what only a list of workers says.
 *
 * @param status what the status says, too
 * @param startedAt when it took its lock_id
 * @param draining whether somebody has asked it to drain
 */
public record ListedWorker(WorkerStatus status, Instant startedAt, boolean draining) {}
