/** The worker's registration, lease and liveness lock. */
@NullMarked
package io.rowqueue.worker.internal.lease;

import org.jspecify.annotations.NullMarked;
