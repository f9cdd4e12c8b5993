/** Assembles, starts and stops a worker. */
@NullMarked
package io.rowqueue.worker.internal;

import org.jspecify.annotations.NullMarked;
