/** Traces what a worker does, where it is asked to; nothing of it is loaded otherwise. */
@NullMarked
package io.rowqueue.worker.internal.trace;

import org.jspecify.annotations.NullMarked;
