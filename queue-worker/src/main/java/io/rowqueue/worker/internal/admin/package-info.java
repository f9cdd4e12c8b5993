/**
 * A worker's HTTP endpoint: health for supervisors, metrics for Prometheus. Loaded only if a port
 * is configured.
 */
@NullMarked
package io.rowqueue.worker.internal.admin;

import org.jspecify.annotations.NullMarked;
