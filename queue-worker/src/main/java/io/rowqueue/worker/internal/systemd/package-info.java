/**
 * Tells systemd, where it supervises the worker, that it is ready, that it lives, that it stops.
 */
@NullMarked
package io.rowqueue.worker.internal.systemd;

import org.jspecify.annotations.NullMarked;
