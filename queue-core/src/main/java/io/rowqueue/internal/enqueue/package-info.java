/** Enqueuing: inserts messages in the producer's transaction. */
@NullMarked
package io.rowqueue.internal.enqueue;

import org.jspecify.annotations.NullMarked;
