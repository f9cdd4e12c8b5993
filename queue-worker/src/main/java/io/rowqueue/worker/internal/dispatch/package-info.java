/**
 * Dispatches claims to handler threads, enforces handler timeouts, and tracks every claim until it
 * ends.
 */
@NullMarked
package io.rowqueue.worker.internal.dispatch;

import org.jspecify.annotations.NullMarked;
