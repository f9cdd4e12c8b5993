package io.rowqueue.worker.internal.systemd;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * systemd's settings for the process.
 *
 * @param watchdog the interval of watchdog notifications; null if disabled
 */
public record SystemdSettings(@Nullable Duration watchdog) {}
