/**
 * Fan-out: which topics get copies of what is published under a source. Producers copy ({@link
 * io.rowqueue.MessageProducer#publish}), here subscriptions are added and changed ({@link
 * io.rowqueue.operate.Subscriptions}), also by modules that declare theirs.
 *
 * <p>A source has one row. Whoever publishes under it shares that row until the COMMIT, whoever
 * changes its subscriptions has it alone; so one of the two lies wholly before the other.
 */
@NullMarked
package io.rowqueue.internal.subscribe;

import org.jspecify.annotations.NullMarked;
