/**
 * Back-pressure: which topics are overfull, by a verdict that workers write and producers read.
 *
 * <p>Nobody counts the table to enqueue. A worker walks over as much of an index as the limit
 * allows, about once a second for the whole cluster, and writes what it found into one row; a
 * process that cares reads the rows of all topics at once, as seldom. So a verdict is late, and a
 * limit may be exceeded by what is enqueued until it is known.
 */
@NullMarked
package io.rowqueue.internal.depth;

import org.jspecify.annotations.NullMarked;
