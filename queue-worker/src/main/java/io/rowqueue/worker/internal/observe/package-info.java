/** Reads the status of the queue and its workers, without locks. */
@NullMarked
package io.rowqueue.worker.internal.observe;

import org.jspecify.annotations.NullMarked;
