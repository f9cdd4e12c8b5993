/** Notifies systemd, if it supervises the worker, of startup, watchdog and stop. */
@NullMarked
package io.rowqueue.worker.internal.systemd;

import org.jspecify.annotations.NullMarked;
