/**
 * Cluster-wide limits of topics: the number of messages handled at once, by slots that workers
 * hold, and the number of messages started per second, by a token bucket.
 *
 * <p>Each decision writes the row that it is based on: the slot that is taken, the bucket that is
 * drawn from. So two servers that both accept writes cannot admit two messages when only one is
 * allowed. A slot belongs to one run of a worker, like a claim, and is freed like one: when no live
 * row has its lock_id.
 */
@NullMarked
package io.rowqueue.internal.limit;

import org.jspecify.annotations.NullMarked;
