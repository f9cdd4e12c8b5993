/**
 * Batches and chains: the effect of a message's end on the batch that it is a member of, and on the
 * chain of which it is a step.
 *
 * <p>A batch is a tree of two levels. Its shards count their open members, its row the open shards.
 * A transaction that settles a member writes its shard; if that closes the shard, it also writes
 * the batch; if that closes the last shard, it completes the batch. Counters are written last in a
 * transaction: batches by descending id, for each its shards ascending, then its row.
 */
@NullMarked
package io.rowqueue.internal.batch;

import org.jspecify.annotations.NullMarked;
