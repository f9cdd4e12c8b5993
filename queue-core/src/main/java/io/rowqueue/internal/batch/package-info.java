/**
 * Batches and chains: what the end of a message means for the batch that it is a member of, and for
 * the chain of which it is a step.
 *
 * <p>A batch is a tree of two levels. Its leaves count their open members, its row the open leaves.
 * Whoever settles a member writes its leaf; whoever closes a leaf writes the batch, too; whoever
 * closes the last one completes it, in the same transaction. Counts come last in a transaction:
 * batches by descending id, for each its leaves ascending, then its row.
 */
@NullMarked
package io.rowqueue.internal.batch;

import org.jspecify.annotations.NullMarked;
