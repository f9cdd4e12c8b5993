/**
 * Propagates the producer's trace to the handler, by OpenTelemetry's API. No other package uses
 * this one, so applications without tracing do not need that library and pay nothing.
 */
@NullMarked
package io.rowqueue.internal.trace;

import org.jspecify.annotations.NullMarked;
