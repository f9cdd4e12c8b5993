/**
 * Back-pressure: which topics are over their limits, from samples that workers write and producers
 * read.
 *
 * <p>Producers never count messages. About once a second for the whole cluster, a worker scans as
 * much of an index as the limit allows, and writes the result into one row. A process with
 * back-pressure enabled reads the rows of all topics at once, as rarely. So a sample is late, and a
 * limit may be exceeded by the messages that are enqueued until it is known.
 */
@NullMarked
package io.rowqueue.internal.depth;

import org.jspecify.annotations.NullMarked;
