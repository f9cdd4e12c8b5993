/**
 * What a worker shows of itself over HTTP: health for whoever supervises it, metrics for
 * Prometheus. Nothing of it is loaded unless a port is given.
 */
@NullMarked
package io.rowqueue.worker.internal.admin;

import org.jspecify.annotations.NullMarked;
