/** The way in: a message is inserted in the producer's transaction. */
@NullMarked
package io.rowqueue.internal.enqueue;

import org.jspecify.annotations.NullMarked;
