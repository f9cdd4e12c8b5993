/** Traces a worker's claims and attempts; loaded only if enabled. */
@NullMarked
package io.rowqueue.worker.internal.trace;

import org.jspecify.annotations.NullMarked;
