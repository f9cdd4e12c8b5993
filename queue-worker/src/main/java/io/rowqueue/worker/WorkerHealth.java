package io.rowqueue.worker;

import org.jspecify.annotations.Nullable;

/**
 * The state of a worker, for health checks.
 *
 * @param notLive why the process should be restarted; null if it should not. A database outage is
 *     no reason
 * @param notReady why the worker cannot take messages now; null if it can
 * @param threads handler threads available for messages; 0 unless it runs
 * @param busyThreads handler threads that run a handler
 */
public record WorkerHealth(
    @Nullable String notLive, @Nullable String notReady, int threads, int busyThreads) {}
