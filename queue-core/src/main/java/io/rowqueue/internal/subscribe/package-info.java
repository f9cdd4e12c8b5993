/**
 * Publish/subscribe: the topics that get copies of messages published under a source. Producers
 * insert the copies ({@link io.rowqueue.MessageProducer#publish}); this package adds and changes
 * subscriptions ({@link io.rowqueue.operate.Subscriptions}), including those declared by modules.
 *
 * <p>A source has one row. A publication holds a shared lock on it until the COMMIT, a change of
 * subscriptions an exclusive lock; so the two never overlap.
 */
@NullMarked
package io.rowqueue.internal.subscribe;

import org.jspecify.annotations.NullMarked;
