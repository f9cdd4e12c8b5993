/**
 * Carries the trace of whoever enqueues to the handler, by OpenTelemetry's API. Nothing else knows
 * this room, so that who does not want it does without that library, and pays nothing.
 */
@NullMarked
package io.rowqueue.internal.trace;

import org.jspecify.annotations.NullMarked;
