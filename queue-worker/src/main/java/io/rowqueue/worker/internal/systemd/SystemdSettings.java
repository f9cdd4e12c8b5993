package io.rowqueue.worker.internal.systemd;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What systemd expects.
 *
 * @param watchdog it wants to hear at least so often that the process lives; null if it does not
 */
public record SystemdSettings(@Nullable Duration watchdog) {}
